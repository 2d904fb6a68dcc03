import { stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "~/platform/time/clock";
import { contentFileError } from "./content-files.server";

export type FileOutcome<Value> =
  { state: "present"; value: Value } | { state: "missing" } | { state: "broken"; reason: string };

export type FileCache<Value> = { get: (filePath: string) => Promise<FileOutcome<Value>> };

type Look<Value> = {
  /** The file's identity when it was read. Null: retry at the next check. */
  fingerprint: string | null;
  outcome: FileOutcome<Value>;
};
type Entry<Value> = Look<Value> & { checkedAtMs: number; weightBytes: number };

type FileCacheOptions<Value> = {
  load: (filePath: string) => Promise<Value>;
  /** A value's approximate memory in bytes. */
  weigh: (value: Value) => number;
  clock: Clock;
  recheckMs: number;
  maxEntries: number;
  maxBytes: number;
};

/**
 * Caches the value of each file until the file changes. Checks a file at most every `recheckMs`; concurrent callers share
 * the check. An unchanged file keeps its outcome object. Evicts the least recently used.
 */
export function createFileCache<Value>(options: FileCacheOptions<Value>): FileCache<Value> {
  const { load, weigh, clock, recheckMs, maxEntries, maxBytes } = options;
  /** The most recently used is last. */
  const entries = new Map<string, Entry<Value>>();
  const looking = new Map<string, Promise<FileOutcome<Value>>>();
  let heldBytes = 0;

  function forget(filePath: string): void {
    heldBytes -= entries.get(filePath)?.weightBytes ?? 0;
    entries.delete(filePath);
  }

  function put(filePath: string, entry: Entry<Value>): void {
    forget(filePath);
    entries.set(filePath, entry);
    heldBytes += entry.weightBytes;
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries && heldBytes <= maxBytes) break;
      forget(oldest);
    }
  }

  async function lookAgain(filePath: string): Promise<FileOutcome<Value>> {
    const checkedAtMs = clock();
    const { fingerprint, outcome } = await lookAtFile(filePath, entries.get(filePath), load);
    const weightBytes = outcome.state === "present" ? weigh(outcome.value) : 0;
    put(filePath, { checkedAtMs, fingerprint, outcome, weightBytes });
    return outcome;
  }

  async function get(filePath: string): Promise<FileOutcome<Value>> {
    const entry = entries.get(filePath);
    if (entry) put(filePath, entry);
    const ageMs = entry ? clock() - entry.checkedAtMs : -1;
    if (entry && ageMs >= 0 && ageMs < recheckMs) return entry.outcome;
    const look = looking.get(filePath) ?? lookAgain(filePath).finally(() => looking.delete(filePath));
    looking.set(filePath, look);
    return look;
  }

  return { get };
}

async function lookAtFile<Value>(
  filePath: string,
  previous: Look<Value> | undefined,
  load: (filePath: string) => Promise<Value>,
): Promise<Look<Value>> {
  let fingerprint: string | null = null;
  try {
    const stats = await stat(filePath, { bigint: true });
    fingerprint = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
    if (previous?.fingerprint === fingerprint) return previous;
    return { fingerprint, outcome: { state: "present", value: await load(filePath) } };
  } catch (error) {
    const { kind, message: reason } = contentFileError(error);
    if (kind === "missing") fingerprint = "missing";
    if (kind === "unreadable") fingerprint = null;
    const outcome: FileOutcome<Value> =
      kind === "missing" ? { state: "missing" } : { state: "broken", reason };
    // The same failure again is no change.
    const isSame = previous?.fingerprint === fingerprint && isDeepStrictEqual(previous.outcome, outcome);
    return isSame ? previous : { fingerprint, outcome };
  }
}
