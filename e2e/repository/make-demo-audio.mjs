// Makes the demo's lamp-room.wav: a short arpeggio between music box and kalimba, in a small stone room. Usage: node
// make-demo-audio.mjs [output file]. The same Node release always writes the same bytes.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const sampleRate = 22_050;
const durationSeconds = 7.5;
const sampleCount = Math.round(sampleRate * durationSeconds);

/** [start in seconds, MIDI note, loudness]: a rising and returning D major with an added ninth. */
const notes = [
  [0.0, 50, 0.9],
  [0.0, 57, 0.5],
  [0.3, 62, 0.6],
  [0.6, 66, 0.6],
  [0.9, 69, 0.65],
  [1.2, 74, 0.7],
  [1.5, 76, 0.55],
  [1.8, 47, 0.85],
  [1.8, 54, 0.45],
  [2.1, 62, 0.55],
  [2.4, 66, 0.6],
  [2.7, 71, 0.65],
  [3.0, 74, 0.7],
  [3.3, 78, 0.5],
  [3.6, 43, 0.85],
  [3.6, 55, 0.5],
  [3.9, 62, 0.55],
  [4.2, 66, 0.55],
  [4.5, 69, 0.55],
  [4.8, 66, 0.45],
  [5.1, 50, 0.9],
  [5.13, 62, 0.5],
  [5.16, 66, 0.5],
  [5.19, 69, 0.5],
  [5.25, 74, 0.6],
  [5.4, 81, 0.3],
];

/** Partials of a struck metal tongue: [ratio, loudness, seconds until it fades to a third]. */
const partials = [
  [1, 1, 1.1],
  [2.003, 0.32, 0.55],
  [3.01, 0.12, 0.3],
  [5.42, 0.07, 0.09],
];

const dry = new Float64Array(sampleCount);
for (const [startSeconds, note, loudness] of notes) {
  const frequency = 440 * 2 ** ((note - 69) / 12);
  const first = Math.round(startSeconds * sampleRate);
  for (let index = first; index < sampleCount; index += 1) {
    const seconds = (index - first) / sampleRate;
    const attack = Math.min(1, seconds / 0.004);
    let sample = 0;
    for (const [ratio, level, fadeSeconds] of partials) {
      sample +=
        level * Math.exp(-seconds / fadeSeconds) * Math.sin(2 * Math.PI * frequency * ratio * seconds);
    }
    dry[index] += loudness * attack * sample;
  }
}

// Four feedback echoes of unrelated lengths, each duller at every turn, imitate the room.
const wet = new Float64Array(sampleCount);
for (const [delaySeconds, feedback] of [
  [0.0297, 0.76],
  [0.0371, 0.74],
  [0.0411, 0.72],
  [0.0437, 0.7],
]) {
  const delay = Math.round(delaySeconds * sampleRate);
  const line = new Float64Array(delay);
  let dulled = 0;
  for (let index = 0; index < sampleCount; index += 1) {
    const echo = line[index % delay];
    dulled += 0.45 * (echo - dulled);
    line[index % delay] = dry[index] + dulled * feedback;
    wet[index] += echo;
  }
}

const mixed = dry.map((sample, index) => sample + 0.11 * wet[index]);
const peak = mixed.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
const fadeSamples = Math.round(1.2 * sampleRate);

const bytes = Buffer.alloc(44 + sampleCount * 2);
bytes.write("RIFF", 0);
bytes.writeUInt32LE(bytes.length - 8, 4);
bytes.write("WAVEfmt ", 8);
bytes.writeUInt32LE(16, 16);
bytes.writeUInt16LE(1, 20); // PCM
bytes.writeUInt16LE(1, 22); // mono
bytes.writeUInt32LE(sampleRate, 24);
bytes.writeUInt32LE(sampleRate * 2, 28); // bytes a second
bytes.writeUInt16LE(2, 32); // bytes a frame
bytes.writeUInt16LE(16, 34); // bits a sample
bytes.write("data", 36);
bytes.writeUInt32LE(sampleCount * 2, 40);
for (let index = 0; index < sampleCount; index += 1) {
  const fade = Math.min(1, (sampleCount - 1 - index) / fadeSamples);
  bytes.writeInt16LE(Math.round((mixed[index] / peak) * 0.86 * 32_767 * fade), 44 + index * 2);
}

const output =
  process.argv[2] ?? fileURLToPath(new URL("../../app/demo/content/lamp-room.wav", import.meta.url));
writeFileSync(output, bytes);
