import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "~/platform/time/clock";
import type { WarnLog } from "~/platform/log/log.server";

export type AudioCache = ReturnType<typeof createAudioCache>;
export type AudioPart = Awaited<ReturnType<AudioCache["createPart"]>>;

/** A file begins with its content type, padded to this many bytes. The audio follows. */
export const headBytes = 128;
/** Opening doesn't wait, even if somebody put a pipe in the file's place. */
const readNow = constants.O_RDONLY | constants.O_NONBLOCK;
/** No synthesis takes longer: older partial files were left by a dead process. */
const abandonedAfterMs = 15 * 60_000;
/** Evicts below the limit, so that not every new file evicts again. */
const evictDownTo = 0.9;

type AudioCacheOptions = {
  dir: string;
  maxBytes: number;
  clock: Clock;
  log: WarnLog;
};

/** Complete audio, by the digest of the text and the voice. A file gets its name once it is whole and on the disk. */
export function createAudioCache({ dir, maxBytes, clock, log }: AudioCacheOptions) {
  let totalBytes = 0;
  let evicting: Promise<void> = Promise.resolve();
  const warnOf = (message: string) => (err: unknown) => log.warn({ err }, message);
  const fileOf = (key: string) => path.join(dir, `${key}.audio`);
  const touch = (file: FileHandle) => file.utimes(clock() / 1000, clock() / 1000);

  async function start(): Promise<void> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await evict();
  }

  /** A file that is invisible to others until `keep`. It stays open either way. */
  async function createPart(key: string) {
    const partFile = path.join(dir, `${key}.${randomUUID()}.part`);
    const file = await open(partFile, "wx+", 0o600);
    const discard = () => rm(partFile, { force: true }).catch(warnOf("deleting partial audio failed"));

    /** Renames the complete part, or removes it if it is too large. */
    async function keep(contentType: string, audioBytes: number): Promise<void> {
      if (audioBytes > maxBytes / 4) return await discard();
      try {
        await file.write(contentType.padEnd(headBytes), 0, "latin1");
        await touch(file);
        await file.datasync();
        await rename(partFile, fileOf(key));
        totalBytes += headBytes + audioBytes;
      } catch (error) {
        log.warn({ err: error }, "caching audio failed");
        return await discard();
      }
      if (totalBytes > maxBytes) evicting = evicting.then(evict).catch(warnOf("audio cache eviction failed"));
    }

    return { file, keep, discard };
  }

  /** An open file, which can be read to its end even if it is evicted meanwhile. */
  async function find(key: string): Promise<{ file: FileHandle; contentType: string; bytes: number } | null> {
    const file = maxBytes === 0 ? null : await openIfThere(fileOf(key));
    if (file === null) return null;
    try {
      const stats = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      const contentType = buffer.toString("latin1").trim();
      const bytes = stats.size - headBytes;
      if (stats.isFile() && bytes > 0 && contentType.startsWith("audio/")) {
        await touch(file);
        return { file, contentType, bytes };
      }
    } catch (error) {
      log.warn({ err: error }, "reading cached audio failed");
    }
    await file.close();
    return null;
  }

  /** Measures all files, other processes' included, and removes the least recently used. */
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

  return { start, createPart, find };
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, readNow);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
