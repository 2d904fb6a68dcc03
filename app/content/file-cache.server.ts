import { stat } from "node:fs/promises";
import type { Clock } from "~/platform/clock";
import { contentFileError } from "./content-files.server";
import type { ContentFileError } from "./content-files.server";

export type FileOutcome<Value> =
  { state: "present"; value: Value } | { state: "missing" } | { state: "broken"; reason: string };

export type FileCache<Value> = { get: (filePath: string) => Promise<FileOutcome<Value>> };

type Entry<Value> = {
  checkedAtMs: number;
  /** What the file looked like when it was read; null when the attempt should be repeated at the next look. */
  fingerprint: string | null;
  outcome: FileOutcome<Value>;
  weightBytes: number;
};

export type FileCacheOptions<Value> = {
  load: (filePath: string) => Promise<Value>;
  /** About how much memory a value holds, in bytes. */
  weigh: (value: Value) => number;
  clock: Clock;
  recheckMs: number;
  maxEntries: number;
  maxBytes: number;
};

/**
 * Remembers what was made of each file until the file changes, and looks at the disk at most once every
 * `recheckMs` per file. While a file stays the same its outcome stays the same object. Callers that ask for one
 * file at the same moment share one look. Bounded by entries and by bytes; the least recently used go first.
 */
export function createFileCache<Value>(options: FileCacheOptions<Value>): FileCache<Value> {
  const { load, weigh, clock, recheckMs } = options;
  const entries = createEntries<Value>(options);
  const looking = new Map<string, Promise<FileOutcome<Value>>>();

  async function lookAgain(filePath: string): Promise<FileOutcome<Value>> {
    const checkedAtMs = clock();
    const previous = entries.find(filePath);
    const { fingerprint, outcome } = await lookAtFile(filePath, previous, load);
    const weightBytes = outcome.state === "present" ? weigh(outcome.value) : 0;
    entries.put(filePath, { checkedAtMs, fingerprint, outcome, weightBytes });
    return outcome;
  }

  async function get(filePath: string): Promise<FileOutcome<Value>> {
    const entry = entries.find(filePath);
    const ageMs = entry ? clock() - entry.checkedAtMs : -1;
    if (entry && ageMs >= 0 && ageMs < recheckMs) return entry.outcome;
    const underWay = looking.get(filePath);
    if (underWay) return underWay;
    const look = lookAgain(filePath).finally(() => looking.delete(filePath));
    looking.set(filePath, look);
    return look;
  }

  return { get };
}

/** A map that forgets what was not asked for longest when it grows too long or too heavy. */
function createEntries<Value>({ maxEntries, maxBytes }: { maxEntries: number; maxBytes: number }) {
  const entries = new Map<string, Entry<Value>>();
  let heldBytes = 0;

  function forget(filePath: string): void {
    heldBytes -= entries.get(filePath)?.weightBytes ?? 0;
    entries.delete(filePath);
  }

  return {
    find: (filePath: string): Entry<Value> | undefined => {
      const entry = entries.get(filePath);
      if (!entry) return undefined;
      // A map keeps the order of insertion: what was just asked for moves to its end.
      entries.delete(filePath);
      entries.set(filePath, entry);
      return entry;
    },
    put: (filePath: string, entry: Entry<Value>): void => {
      forget(filePath);
      entries.set(filePath, entry);
      heldBytes += entry.weightBytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && heldBytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
}

const missingFingerprint = "missing";

async function lookAtFile<Value>(
  filePath: string,
  previous: Pick<Entry<Value>, "fingerprint" | "outcome"> | undefined,
  load: (filePath: string) => Promise<Value>,
): Promise<Pick<Entry<Value>, "fingerprint" | "outcome">> {
  let fingerprint: string | null = null;
  try {
    const stats = await stat(filePath, { bigint: true });
    fingerprint = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
    if (previous?.fingerprint === fingerprint) return previous;
    return { fingerprint, outcome: { state: "present", value: await load(filePath) } };
  } catch (error) {
    const fault = contentFileError(error);
    if (fault.kind === "missing") fingerprint = missingFingerprint;
    if (fault.kind === "unreadable") fingerprint = null;
    const next = { fingerprint, outcome: failedOutcome<Value>(fault) };
    return previous && isSameFailure(previous, next) ? previous : next;
  }
}

function failedOutcome<Value>(fault: ContentFileError): FileOutcome<Value> {
  return fault.kind === "missing" ? { state: "missing" } : { state: "broken", reason: fault.message };
}

/** Looking again at something that fails in the same way is not a change worth telling anybody. */
function isSameFailure<Value>(
  previous: Pick<Entry<Value>, "fingerprint" | "outcome">,
  next: Pick<Entry<Value>, "fingerprint" | "outcome">,
): boolean {
  if (previous.fingerprint !== next.fingerprint || previous.outcome.state !== next.outcome.state)
    return false;
  if (previous.outcome.state === "broken" && next.outcome.state === "broken") {
    return previous.outcome.reason === next.outcome.reason;
  }
  return previous.outcome.state === "missing";
}
