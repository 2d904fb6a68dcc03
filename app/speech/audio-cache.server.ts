import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "~/platform/clock";

/** Audio in an open file: it can be read to its end whatever becomes of the file's name meanwhile. */
export type StoredAudio = { file: FileHandle; contentType: string; bytes: number };

export type AudioCache = ReturnType<typeof createAudioCache>;
type Keeping = {
  key: string;
  part: { file: FileHandle; place: string };
  audio: Omit<Trailer, "key">;
};
type Trailer = { key: string; contentType: string; bytes: number; sha256: string };

const mark = Buffer.from("LKSPEECH");
const markAndLengthBytes = mark.length + 4;
const maxTrailerBytes = 1024;
const chunkBytes = 256 * 1024;
/** Longer than any audio takes to come in: what is older was left by a process that is gone. */
const abandonedAfterMs = 15 * 60_000;
/** Room is made for more than the one file that was too much, so that not every new one makes room again. */
const evictDownTo = 0.9;

type CreateAudioCacheOptions = {
  dir: string;
  /** 0 keeps nothing. */
  maxBytes: number;
  clock: Clock;
  warn: (message: string, error: unknown) => void;
};

/**
 * Complete audio by the digest of what was said and how. A file gets its name only when it is whole, and ends in a
 * trailer with its own digest, against which it is held before it is served: what a crash, a full disk or anybody
 * else's hand has left behind is not.
 */
export function createAudioCache({ dir, maxBytes, clock, warn }: CreateAudioCacheOptions) {
  let totalBytes = 0;
  let evicting: Promise<void> = Promise.resolve();
  const fileOf = (key: string) => path.join(dir, `${key}.audio`);

  /** Makes the folder and counts what is in it. */
  async function start(): Promise<void> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await tidy();
  }

  /** A file to write into that nobody else sees. */
  async function createPart(name: string): Promise<{ file: FileHandle; place: string }> {
    const place = path.join(dir, `${name}.part`);
    return { file: await open(place, "wx+", 0o600), place };
  }

  async function find(key: string): Promise<StoredAudio | null> {
    if (maxBytes === 0) return null;
    const file = await openIfThere(fileOf(key));
    if (file === null) return null;
    try {
      const trailer = await readWhole(file, key);
      if (trailer !== null) {
        const now = new Date(clock());
        await file.utimes(now, now);
        return { file, contentType: trailer.contentType, bytes: trailer.bytes };
      }
      warn("speech that was kept is damaged, and was removed", new Error(`${key}.audio`));
      await rm(fileOf(key), { force: true });
    } catch (error) {
      warn("speech that was kept cannot be read", error);
    }
    await file.close();
    return null;
  }

  /** Gives a part that is complete its name, or removes it where it cannot stay. The file stays open either way. */
  async function keep({ part, ...rest }: Keeping): Promise<void> {
    if (rest.audio.bytes > maxBytes / 4) return await discard(part.place);
    try {
      await name({ part, ...rest });
    } catch (error) {
      warn("speech could not be kept", error);
      await discard(part.place);
    }
  }

  async function name({ key, part: { file, place }, audio: { contentType, bytes, sha256 } }: Keeping) {
    const trailer = encodeTrailer({ key, contentType, bytes, sha256 });
    await file.write(trailer, 0, trailer.length, bytes);
    const now = new Date(clock());
    await file.utimes(now, now);
    await rename(place, fileOf(key));
    totalBytes += bytes + trailer.length;
    if (totalBytes > maxBytes)
      evicting = evicting.then(tidy).catch((error: unknown) => warn("old speech stays", error));
  }

  /** Removes a part that will not be complete. */
  async function discard(place: string): Promise<void> {
    await rm(place, { force: true }).catch((error: unknown) => warn("a part of speech stays behind", error));
  }

  /** Counts anew, other processes' files included, and removes what was not asked for the longest. */
  async function tidy(): Promise<void> {
    const entries = await listFiles(dir);
    const kept = entries.filter(({ name }) => name.endsWith(".audio"));
    const isAbandoned = ({ name, usedAtMs }: CacheEntry) =>
      name.endsWith(".part") && usedAtMs < clock() - abandonedAfterMs;
    for (const { name } of entries.filter(isAbandoned)) await rm(path.join(dir, name), { force: true });
    totalBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    if (totalBytes <= maxBytes) return;
    for (const { name, bytes } of kept.sort((one, other) => one.usedAtMs - other.usedAtMs)) {
      if (totalBytes <= maxBytes * evictDownTo) break;
      await rm(path.join(dir, name), { force: true });
      totalBytes -= bytes;
    }
  }

  return { start, createPart, find, keep, discard };
}

type CacheEntry = { name: string; bytes: number; usedAtMs: number };

async function listFiles(dir: string): Promise<CacheEntry[]> {
  const entries: CacheEntry[] = [];
  for (const name of await readdir(dir)) {
    const found = await stat(path.join(dir, name)).catch(() => null);
    if (found?.isFile()) entries.push({ name, bytes: found.size, usedAtMs: found.mtimeMs });
  }
  return entries;
}

async function openIfThere(place: string): Promise<FileHandle | null> {
  try {
    return await open(place, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
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
  const { size } = await file.stat();
  const trailer = await readTrailer(file, size);
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

async function readTrailer(file: FileHandle, size: number): Promise<Trailer | null> {
  if (size < markAndLengthBytes) return null;
  const end = Buffer.alloc(markAndLengthBytes);
  await file.read(end, 0, end.length, size - end.length);
  const length = end.readUInt32BE(0);
  const start = size - markAndLengthBytes - length;
  if (!end.subarray(4).equals(mark) || length > maxTrailerBytes || start < 0) return null;
  const text = Buffer.alloc(length);
  await file.read(text, 0, length, start);
  try {
    const { key, contentType, bytes, sha256 } = JSON.parse(text.toString("utf8")) as Partial<Trailer>;
    const isSound = typeof key === "string" && typeof contentType === "string" && typeof sha256 === "string";
    return isSound && bytes === start ? { key, contentType, bytes, sha256 } : null;
  } catch {
    return null;
  }
}
