import { MPEGDecoder } from "mpg123-decoder";

/** Decodes MP3 bytes and measures their loudness. Throws if a frame cannot be decoded. */
export async function decodeMp3(bytes: Uint8Array): Promise<{ seconds: number; loudness: number }> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    const { channelData, samplesDecoded, sampleRate, errors } = decoder.decode(bytes);
    if (errors.length > 0) throw new Error(`Frames that cannot be decoded: ${errors.length}`);
    const samples = channelData[0] ?? new Float32Array();
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);
    return { seconds: samplesDecoded / sampleRate, loudness: Math.sqrt(power) };
  } finally {
    decoder.free();
  }
}
