import { createHash, randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, futimesSync, openSync, read } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import type { Clock } from "~/platform/time/clock";
import type { WarnLog } from "~/platform/log/log.server";

export type AudioCache = ReturnType<typeof createAudioCache>;
export type AudioPart = Awaited<ReturnType<AudioCache["createPart"]>>;
export type CachedAudio = { contentType: string; isCached: true; bytes: Uint8Array<ArrayBuffer> };

const trailerSchema = z.object({
  key: z.string(),
  contentType: z.string(),
  bytes: z.number(),
  sha256: z.string(),
});
type Trailer = z.infer<typeof trailerSchema>;

const readFromStart = promisify(read);
/** Whatever was put in the file's place, opening it waits for nobody. */
const readNow = constants.O_RDONLY | constants.O_NONBLOCK;
const mark = Buffer.from("LKSPEECH");
const markAndLengthBytes = mark.length + 4;
const maxTrailerBytes = 1024;
const chunkBytes = 256 * 1024;
/** Uses are told apart by so much: writing each of them down would cost as much as reading the file. */
const touchAfterMs = 1000;
/** Longer than any synthesis takes: older partial files were left by a process that is gone. */
const abandonedAfterMs = 15 * 60_000;
/** Evicts below the limit, so that not every new file evicts again. */
const evictDownTo = 0.9;

type AudioCacheOptions = {
  dir: string;
  /** 0 keeps nothing. */
  maxBytes: number;
  clock: Clock;
  log: WarnLog;
};

/**
 * Complete audio by the digest of what was said and how. A file gets its name only when it is whole, and ends in a
 * trailer with its own digest, which is checked before it is served: what a crash or a full disk left behind is not.
 */
export function createAudioCache({ dir, maxBytes, clock, log }: AudioCacheOptions) {
  let totalBytes = 0;
  let evicting: Promise<void> = Promise.resolve();
  const warnOf = (message: string) => (err: unknown) => log.warn({ err }, message);
  const fileOf = (key: string) => path.join(dir, `${key}.audio`);
  const touch = (file: FileHandle) => file.utimes(clock() / 1000, clock() / 1000);

  /** Makes the folder and counts what is in it. */
  async function start(): Promise<void> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await evict();
  }

  /** A file that is invisible to others until `keep`. It stays open either way. */
  async function createPart(key: string) {
    const partFile = path.join(dir, `${key}.${randomUUID()}.part`);
    const file = await open(partFile, "wx+", 0o600);
    const discard = () =>
      rm(partFile, { force: true }).catch(warnOf("partial audio file could not be deleted"));

    /** Renames the complete part, or removes it where it is too large. */
    async function keep(audio: Omit<Trailer, "key">): Promise<void> {
      if (audio.bytes > maxBytes / 4) return await discard();
      try {
        const trailer = encodeTrailer({ key, ...audio });
        await file.write(trailer, 0, trailer.length, audio.bytes);
        await touch(file);
        await rename(partFile, fileOf(key));
        totalBytes += audio.bytes + trailer.length;
      } catch (error) {
        log.warn({ err: error }, "audio could not be cached");
        return await discard();
      }
      if (totalBytes > maxBytes) evicting = evicting.then(evict).catch(warnOf("audio cache eviction failed"));
    }

    return { file, keep, discard };
  }

  /** An open file, which can be read to its end even if it is evicted meanwhile. */
  async function find(key: string): Promise<{ file: FileHandle; contentType: string; bytes: number } | null> {
    if (maxBytes === 0) return null;
    const file = await openIfThere(fileOf(key));
    if (file === null) return null;
    try {
      const trailer = await readWhole(file, key);
      if (trailer !== null) {
        await touch(file);
        return { file, contentType: trailer.contentType, bytes: trailer.bytes };
      }
      log.warn({ file: `${key}.audio` }, "cached audio is damaged and was deleted");
      await rm(fileOf(key), { force: true });
    } catch (error) {
      log.warn({ err: error }, "cached audio could not be read");
    }
    await file.close();
    return null;
  }

  /** Audio of at most one chunk, checked as in `find`, which is for whatever this has not found. */
  const readShort = async (key: string) => (maxBytes === 0 ? null : readInPiece(fileOf(key), key, clock()));

  /** Recounts, other processes' files included, and removes the least recently used. */
  async function evict(): Promise<void> {
    const cached: { file: string; bytes: number; usedAtMs: number }[] = [];
    for (const name of await readdir(dir)) {
      const file = path.join(dir, name);
      const found = await stat(file).catch(() => null);
      if (!found?.isFile()) continue;
      const { size: bytes, mtimeMs: usedAtMs } = found;
      if (name.endsWith(".audio")) cached.push({ file, bytes, usedAtMs });
      const isAbandoned = name.endsWith(".part") && usedAtMs < clock() - abandonedAfterMs;
      if (isAbandoned) await rm(file, { force: true });
    }
    totalBytes = cached.reduce((sum, { bytes }) => sum + bytes, 0);
    if (totalBytes <= maxBytes) return;
    for (const { file, bytes } of cached.sort((one, other) => one.usedAtMs - other.usedAtMs)) {
      if (totalBytes <= maxBytes * evictDownTo) break;
      await rm(file, { force: true });
      totalBytes -= bytes;
    }
  }

  return { start, createPart, find, readShort };
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, readNow);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Read once. Opened synchronously, since a handle costs more by its way to another thread and back than by itself. */
async function readInPiece(filePath: string, key: string, nowMs: number): Promise<CachedAudio | null> {
  let file: number | undefined;
  try {
    file = openSync(filePath, readNow);
    const stats = fstatSync(file);
    const { size, mtimeMs } = stats;
    if (!stats.isFile() || size > chunkBytes) return null;
    const { buffer, bytesRead } = await readFromStart(file, { buffer: Buffer.allocUnsafeSlow(size) });
    const trailer = bytesRead === size ? decodeTrailer(buffer, size) : null;
    if (trailer?.key !== key) return null;
    const bytes = buffer.subarray(0, trailer.bytes);
    if (createHash("sha256").update(bytes).digest("hex") !== trailer.sha256) return null;
    if (Math.abs(nowMs - mtimeMs) >= touchAfterMs) futimesSync(file, nowMs / 1000, nowMs / 1000);
    return { contentType: trailer.contentType, isCached: true, bytes };
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function encodeTrailer(trailer: Trailer): Buffer {
  const text = Buffer.from(JSON.stringify(trailer));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([text, length, mark]);
}

/** The trailer of a file that is whole and is what it is called; else null. */
async function readWhole(file: FileHandle, key: string): Promise<Trailer | null> {
  const trailer = await readTrailer(file);
  if (trailer?.key !== key) return null;
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(chunkBytes);
  for (let at = 0; at < trailer.bytes;) {
    const wanted = Math.min(buffer.length, trailer.bytes - at);
    const { bytesRead } = await file.read(buffer, 0, wanted, at);
    if (bytesRead === 0) return null;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest("hex") === trailer.sha256 ? trailer : null;
}

async function readTrailer(file: FileHandle): Promise<Trailer | null> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(Math.min(size, maxTrailerBytes + markAndLengthBytes));
  await file.read(tail, 0, tail.length, size - tail.length);
  return decodeTrailer(tail, size);
}

/** `tail`: the end of a file of so many bytes. */
function decodeTrailer(tail: Buffer, size: number): Trailer | null {
  if (tail.length < markAndLengthBytes || !tail.subarray(-mark.length).equals(mark)) return null;
  const end = tail.length - markAndLengthBytes;
  const length = tail.readUInt32BE(end);
  if (length > Math.min(maxTrailerBytes, end)) return null;
  try {
    const trailer = trailerSchema.parse(JSON.parse(tail.toString("utf8", end - length, end)));
    return trailer.bytes === size - markAndLengthBytes - length ? trailer : null;
  } catch {
    return null;
  }
}
