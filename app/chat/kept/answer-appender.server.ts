import { AsyncResource } from "node:async_hooks";
import type { WarnLog } from "~/platform/log.server";
import type { AppendOutcome, AppendRequest, KeptAnswerStore } from "./kept-answer-store";

const appendEveryMs = 150;

/** A silent answer renews its lease, and learns that it shall stop, this often or three times a lease. */
const renewEveryMs = 1_000;

type Listener = {
  replyId: string;
  /** Something was stored. */
  onStored: (storedId: number) => void;
  onStopAsked: () => void;
  /** Nothing of it can be stored any more. Called once, and nothing after it. */
  onLost: () => void;
};

export type Appending = ReturnType<ReturnType<typeof createAnswerAppender>["open"]>;

type Options = { store: Pick<KeptAnswerStore, "append">; leaseMs: number; log: WarnLog };

/**
 * Stores what the answers of this process say: all of them in one write, at most every 150 ms, and an ending at once.
 * Holds what is not stored while the store is away, until the lease must have expired.
 */
export function createAnswerAppender({ store, leaseMs, log }: Options) {
  const open = new Set<Entry>();
  /** These do not wait for the next write of all. */
  const urgent = new Set<Entry>();
  const renewMs = Math.min(renewEveryMs, leaseMs / 3);
  // Timers belong to no request.
  const background = new AsyncResource("AnswerAppender");
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let lastWriteOfAllMs = -Infinity;
  let isWriting = false;
  let isFailing = false;

  function schedule(): void {
    if (isWriting || open.size === 0) return;
    background.runInAsyncScope(() => {
      if (urgent.size > 0) immediate ??= setImmediate(() => void write([...urgent]));
      timer ??= setTimeout(writeAll, Math.max(0, lastWriteOfAllMs + appendEveryMs - performance.now()));
    });
  }

  function writeAll(): void {
    timer = undefined;
    if (isWriting) return;
    const nowMs = (lastWriteOfAllMs = performance.now());
    void write([...open].filter((entry) => entry.isDue(nowMs - renewMs)));
  }

  async function write(due: readonly Entry[]): Promise<void> {
    immediate = undefined;
    if (isWriting || due.length === 0) return schedule();
    isWriting = true;
    for (const entry of due) urgent.delete(entry);
    const startedAtMs = performance.now();
    const requests = due.map((entry) => entry.toRequest(leaseMs));
    try {
      const outcomes = await store.append(requests);
      isFailing = false;
      due.forEach((entry, index) => take(entry, requests[index]!, outcomes[index]!, startedAtMs));
    } catch (err) {
      if (!isFailing) log.warn({ err }, "answers could not be stored; retrying");
      isFailing = true;
      // Retried with all others, not at once.
      urgent.clear();
      for (const entry of due) if (performance.now() - entry.renewedAtMs > leaseMs) lose(entry);
    } finally {
      isWriting = false;
      schedule();
    }
  }

  function take(entry: Entry, request: AppendRequest, outcome: AppendOutcome, startedAtMs: number): void {
    if (!open.has(entry)) return;
    if (outcome.outcome === "lost" || !entry.noteStored(outcome.lastId)) return lose(entry);
    entry.renewedAtMs = startedAtMs;
    entry.listener.onStored(outcome.lastId);
    const isAllStored = outcome.lastId === request.firstId - 1 + request.events.length;
    if (request.ending && isAllStored) {
      open.delete(entry);
      entry.onEnded(true);
    } else if (entry.ending) urgent.add(entry);
    else if (outcome.isStopAsked) entry.listener.onStopAsked();
  }

  function lose(entry: Entry): void {
    if (!open.delete(entry)) return;
    urgent.delete(entry);
    entry.listener.onLost();
    entry.onEnded(false);
  }

  return {
    /** For an answer that has just begun. `askedAtMs`: when its lease was asked for, by the monotonic clock. */
    open(listener: Listener, askedAtMs: number) {
      const entry = new Entry(listener, askedAtMs);
      open.add(entry);
      schedule();
      return {
        storedId: () => entry.storedId,
        /** False where the lease is lost, or may be: the process may have stood still. Then no reader may get it. */
        add(json: string, usedTokens: number): boolean {
          if (performance.now() - entry.renewedAtMs > leaseMs) lose(entry);
          if (!open.has(entry)) return false;
          entry.add(json, usedTokens);
          schedule();
          return true;
        },
        /** Resolves when all is stored, with true, or when it never will be. */
        end(events: readonly string[], usedTokens: number, expiresAtMs: number): Promise<boolean> {
          if (!open.has(entry)) return Promise.resolve(false);
          entry.end(events, usedTokens, expiresAtMs);
          urgent.add(entry);
          schedule();
          return new Promise((resolve) => (entry.onEnded = resolve));
        },
        /** Looks at the store now. */
        look(): void {
          if (!open.has(entry)) return;
          urgent.add(entry);
          schedule();
        },
        /** Nothing was said, and nothing is to be stored. */
        close(): void {
          open.delete(entry);
          urgent.delete(entry);
        },
      };
    },
  };
}

class Entry {
  readonly listener: Listener;
  storedId = 0;
  renewedAtMs: number;
  ending: AppendRequest["ending"] | null = null;
  onEnded: (isStored: boolean) => void = () => undefined;
  #waiting: string[] = [];
  #usedTokens = 0;

  constructor(listener: Listener, askedAtMs: number) {
    this.listener = listener;
    this.renewedAtMs = askedAtMs;
  }

  add(json: string, usedTokens: number): void {
    this.#waiting.push(json);
    this.#usedTokens = usedTokens;
  }

  end(events: readonly string[], usedTokens: number, expiresAtMs: number): void {
    this.ending = { endingId: this.storedId + this.#waiting.length + 1, expiresAtMs };
    this.#waiting.push(...events);
    this.#usedTokens = usedTokens;
  }

  isDue(renewedBeforeMs: number): boolean {
    return this.#waiting.length > 0 || this.ending !== null || this.renewedAtMs < renewedBeforeMs;
  }

  toRequest(leaseMs: number): AppendRequest {
    return {
      replyId: this.listener.replyId,
      leaseMs,
      firstId: this.storedId + 1,
      events: [...this.#waiting],
      usedTokens: this.#usedTokens,
      ...(this.ending && { ending: this.ending }),
    };
  }

  /** False where the store is behind what it had stored: it is another one. */
  noteStored(lastId: number): boolean {
    const count = lastId - this.storedId;
    if (count < 0 || count > this.#waiting.length) return false;
    this.#waiting.splice(0, count);
    this.storedId = lastId;
    return true;
  }
}
