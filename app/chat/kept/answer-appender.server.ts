import { AsyncResource } from "node:async_hooks";
import type { WarnLog } from "~/platform/log.server";
import type {
  AnswerHeaders,
  AppendOutcome,
  AppendRequest,
  KeptAnswerStore,
} from "./kept-answer-store.server";
import { UnstoredAnswer } from "./unstored-answer.server";
import type { AnswerEnd, AnswerListener } from "./unstored-answer.server";

const appendEveryMs = 150;

/** A store that is away is asked ever less often, up to this or four times a lease. */
const longestPauseMs = 1_000;

/** Of one write, and one answer more: PostgreSQL takes 256 MB of JSON. The rest goes into the next write. */
const maxWriteChars = 8 * 1024 * 1024;

/**
 * An ending waits so long for others, if others are under way: a write is most of what a short answer costs. A processor
 * that idles in a longer wait costs more than the writes it saves.
 */
const gatherUrgentMs = 8;

/** Of one answer, while the store does not take it. */
const maxHeldChars = 1024 * 1024;

/** A silent answer renews its lease, and learns that it shall stop, this often or three times a lease. */
const renewEveryMs = 1_000;

export type Appending = {
  storedId: () => number;
  /** That the first reader gets: stored with whatever is appended next. */
  tellHeaders: (headers: AnswerHeaders) => void;
  /**
   * Whether readers may get it. Where the lease may have expired, because the store is slow or the process stood still,
   * and where too much is held already, that turns out once it is stored. False: the lease is lost.
   */
  add: (json: string, usedTokens: number) => true | Promise<boolean>;
  /** Resolves when all is stored, with true, or when it never will be. */
  end: (ending: AnswerEnd) => Promise<boolean>;
  /** Looks at the store now. */
  look: () => void;
  /** Nothing was said, and nothing is to be stored. */
  close: () => void;
};

type Options = { store: Pick<KeptAnswerStore, "append">; leaseMs: number; log: WarnLog };

/**
 * Stores what the answers of this process say: all of them in one write, at most every 150 ms, and endings within 8 ms.
 * Holds what is not stored, up to 1 MiB of each, while the store is away, until the lease must have expired.
 */
export class AnswerAppender {
  readonly #options: Options;
  readonly #open = new Set<UnstoredAnswer>();
  #expected = 0;
  /** These do not wait for the next write of all. */
  readonly #urgent = new Set<UnstoredAnswer>();
  // Timers belong to no request.
  readonly #background = new AsyncResource("AnswerAppender");
  #isWriteOfAllDue = false;
  #isWriteOfUrgentDue = false;
  #lastWriteOfAllMs = -Infinity;
  #isWriting = false;
  #isFailing = false;
  /** Writes in a row of which nothing was stored. */
  #failures = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** An answer that is about to begin counts as one that is under way. */
  async expect<Begun>(begin: () => Promise<Begun>): Promise<Begun> {
    this.#expected += 1;
    try {
      return await begin();
    } finally {
      this.#expected -= 1;
    }
  }

  /** For an answer that has just begun. `askedAtMs`: when its lease was asked for, by the monotonic clock. */
  open(listener: AnswerListener, askedAtMs: number): Appending {
    const entry = new UnstoredAnswer(listener, askedAtMs);
    this.#open.add(entry);
    this.#schedule();
    return {
      storedId: () => entry.storedId,
      tellHeaders: (headers) => void (entry.headers = headers),
      add: (json, usedTokens) => {
        if (!entry.isOpen) return Promise.resolve(false);
        entry.add(json, usedTokens);
        this.#schedule();
        return this.#maySend(entry) || entry.stored();
      },
      end: (ending) => {
        if (!entry.isOpen) return Promise.resolve(false);
        entry.end(ending);
        this.#hurry(entry);
        return new Promise((resolve) => (entry.onEnded = resolve));
      },
      look: () => {
        if (entry.isOpen) this.#hurry(entry);
      },
      close: () => this.#close(entry),
    };
  }

  #maySend({ renewedAtMs, waitingChars }: UnstoredAnswer): boolean {
    return performance.now() - renewedAtMs <= this.#options.leaseMs && waitingChars <= maxHeldChars;
  }

  #hurry(entry: UnstoredAnswer): void {
    this.#urgent.add(entry);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isWriting || this.#open.size === 0) return;
    // Every event comes by here.
    if (this.#isWriteOfAllDue && this.#urgent.size === 0) return;
    this.#background.runInAsyncScope(() => {
      this.#scheduleUrgent();
      this.#scheduleAll();
    });
  }

  /** Where all that is under way is urgent, there is nothing to wait for. */
  #scheduleUrgent(): void {
    if (this.#urgent.size === 0) return;
    const write = () => this.#writeUrgent();
    if (this.#urgent.size === this.#open.size && this.#expected === 0) setImmediate(write);
    else if (!this.#isWriteOfUrgentDue) setTimeout(write, gatherUrgentMs);
    this.#isWriteOfUrgentDue = true;
  }

  #scheduleAll(): void {
    if (this.#isWriteOfAllDue) return;
    const longestMs = Math.min(longestPauseMs, this.#options.leaseMs / 4);
    const pauseMs = Math.max(appendEveryMs, Math.min(longestMs, appendEveryMs * 2 ** this.#failures));
    setTimeout(() => this.#writeAll(), Math.max(0, this.#lastWriteOfAllMs + pauseMs - performance.now()));
    this.#isWriteOfAllDue = true;
  }

  #writeUrgent(): void {
    this.#isWriteOfUrgentDue = false;
    void this.#write([...this.#urgent]);
  }

  #writeAll(): void {
    this.#isWriteOfAllDue = false;
    if (this.#isWriting) return;
    const renewMs = Math.min(renewEveryMs, this.#options.leaseMs / 3);
    const nowMs = (this.#lastWriteOfAllMs = performance.now());
    void this.#write([...this.#open].filter((entry) => entry.isDue(nowMs - renewMs)));
  }

  async #write(all: readonly UnstoredAnswer[]): Promise<void> {
    const { store, leaseMs, log } = this.#options;
    if (this.#isWriting || all.length === 0) return this.#schedule();
    this.#isWriting = true;
    const due = fillWrite(all);
    for (const entry of due) {
      this.#urgent.delete(entry);
      // To the end: the next write begins with those that had no room in this one.
      if (due.length < all.length && this.#open.delete(entry)) this.#open.add(entry);
    }
    const startedAtMs = performance.now();
    const requests = due.map((entry) => entry.toRequest(leaseMs));
    const fail = (err: unknown) => requests.map((): AppendOutcome => ({ outcome: "unknown", err }));
    try {
      const outcomes = await store.append(requests).catch(fail);
      const failure = outcomes.find((outcome) => outcome.outcome === "unknown");
      if (failure && !this.#isFailing)
        log.warn({ err: failure.err }, "answers could not be stored; retrying");
      this.#isFailing = failure !== undefined;
      const isAway = outcomes.every(({ outcome }) => outcome === "unknown");
      this.#failures = isAway ? this.#failures + 1 : 0;
      for (const [index, entry] of due.entries()) {
        if (!this.#take(entry, requests[index]!, outcomes[index]!)) continue;
        entry.renewedAtMs = startedAtMs;
        entry.decide(this.#maySend(entry));
      }
    } finally {
      this.#isWriting = false;
      this.#schedule();
    }
  }

  /** Whether its lease was renewed. */
  #take(entry: UnstoredAnswer, request: AppendRequest, outcome: AppendOutcome): boolean {
    if (!entry.isOpen) return false;
    if (outcome.outcome === "unknown") {
      // Retried with all others, not at once.
      this.#urgent.delete(entry);
      entry.noteFailure();
      if (performance.now() - entry.renewedAtMs > this.#options.leaseMs) this.#lose(entry);
      return false;
    }
    if (outcome.outcome === "lost" || !entry.noteStored(outcome.lastId)) {
      this.#lose(entry);
      return false;
    }
    if (request.headers) entry.headers = null;
    const isAllStored = outcome.lastId === request.firstId - 1 + request.events.length;
    const hasEnded = isAllStored && request.ending !== undefined;
    entry.listener.onStored(outcome.lastId, hasEnded);
    if (hasEnded) {
      this.#close(entry);
      entry.onEnded(true);
    } else if (entry.ending) this.#urgent.add(entry);
    else if (outcome.isStopAsked) entry.listener.onStopAsked();
    return true;
  }

  #close(entry: UnstoredAnswer): void {
    entry.isOpen = false;
    this.#open.delete(entry);
    this.#urgent.delete(entry);
  }

  #lose(entry: UnstoredAnswer): void {
    if (!entry.isOpen) return;
    this.#close(entry);
    entry.listener.onLost();
    entry.lose();
    entry.onEnded(false);
  }
}

function fillWrite(due: readonly UnstoredAnswer[]): readonly UnstoredAnswer[] {
  let chars = 0;
  const isFull = (entry: UnstoredAnswer) => (chars += entry.waitingChars) > maxWriteChars;
  const last = due.findIndex(isFull);
  return last === -1 ? due : due.slice(0, last + 1);
}
