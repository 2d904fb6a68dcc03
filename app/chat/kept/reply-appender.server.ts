import type { WarnLog } from "~/platform/log/log.server";
import type { ReplyHeaders, AppendRequest } from "./kept-reply";
import type { KeptAnswerStore } from "./kept-answers.store.server";

const appendEveryMs = 150;

/** Longest pause between retries; a quarter of the lease if that is shorter. */
const longestPauseMs = 1_000;

/** Held in memory while the store is unreachable. Then the writer waits. */
const maxHeldChars = 1024 * 1024;

/** Readers load whole pieces. */
const maxPieceChars = 128 * 1024;

type Options = {
  replyId: string;
  store: Pick<KeptAnswerStore, "append">;
  leaseMs: number;
  /** When the lease was requested (monotonic). */
  askedAtMs: number;
  onStored: (storedId: number) => void;
  /** The lease is lost. Called once, after the last `onStored`. */
  onLost: () => void;
  log: WarnLog;
};

/**
 * Stores one reply: at most every 150 ms, its ending at once. Renews the lease while the reply is silent. Retries until
 * the lease must have expired.
 */
export class ReplyAppender {
  storedId = 0;
  readonly #options: Options;
  #isOpen = true;
  #waiting: { json: string; usedTokens: number }[] = [];
  #waitingChars = 0;
  #usedTokens = 0;
  #headers: ReplyHeaders | null = null;
  #ending: AppendRequest["ending"] = null;
  /** Repeated unchanged until its outcome is known. */
  #request: AppendRequest | null = null;
  #isAppending = false;
  #appendedAtMs: number;
  #renewedAtMs: number;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #held: { id: number; decide: (maySend: boolean) => void } | null = null;
  #onEnded: (isStored: boolean) => void = () => undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#appendedAtMs = this.#renewedAtMs = options.askedAtMs;
    this.#schedule();
  }

  setHeaders(headers: ReplyHeaders): void {
    this.#headers = headers;
    this.#schedule();
  }

  /** Whether readers may get the event. Waits for the store if the lease may have expired, or if too much is held. */
  add(json: string, usedTokens: number): true | Promise<boolean> {
    if (!this.#isOpen) return Promise.resolve(false);
    this.#waiting.push({ json, usedTokens });
    this.#waitingChars += json.length;
    if (this.#waiting.length === 1 || this.#waitingChars >= maxPieceChars) this.#schedule();
    if (this.#maySend()) return true;
    const id = this.#lastId();
    return new Promise((decide) => (this.#held = { id, decide }));
  }

  /** Resolves when everything is stored; with false if the lease is lost. */
  end(events: readonly string[], usedTokens: number, expiresAtMs: number): Promise<boolean> {
    if (!this.#isOpen) return Promise.resolve(false);
    this.#ending = { endingId: this.#lastId() + 1, expiresAtMs };
    for (const json of events) {
      this.#waiting.push({ json, usedTokens });
      this.#waitingChars += json.length;
    }
    this.#schedule();
    return new Promise((resolve) => (this.#onEnded = resolve));
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
  }

  #lastId(): number {
    return this.storedId + (this.#request?.events.length ?? 0) + this.#waiting.length;
  }

  #maySend(): boolean {
    const isHeld = performance.now() - this.#renewedAtMs <= this.#options.leaseMs;
    return isHeld && this.#waitingChars <= maxHeldChars;
  }

  #schedule(): void {
    if (this.#isAppending || !this.#isOpen) return;
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#dueAtMs() - performance.now());
    this.#timer = setTimeout(() => void this.#append(), waitMs);
  }

  #dueAtMs(): number {
    const { leaseMs } = this.#options;
    if (this.#failures > 0) {
      const pauseMs = Math.min(longestPauseMs, leaseMs / 4, appendEveryMs * 2 ** this.#failures);
      return this.#appendedAtMs + pauseMs;
    }
    if (this.#ending || this.#waitingChars >= maxPieceChars) return this.#appendedAtMs;
    if (this.#headers || this.#waiting.length > 0) return this.#appendedAtMs + appendEveryMs;
    return this.#renewedAtMs + leaseMs / 3;
  }

  async #append(): Promise<void> {
    const { store, leaseMs, log, onStored } = this.#options;
    const startedAtMs = (this.#appendedAtMs = performance.now());
    const request = (this.#request ??= this.#takeRequest());
    this.#isAppending = true;
    try {
      const isHeld = await store.append(request);
      if (!this.#isOpen) return;
      if (!isHeld) return this.#lose();
      this.#request = null;
      this.#failures = 0;
      this.#renewedAtMs = startedAtMs;
      this.storedId += request.events.length;
      for (const { length } of request.events) this.#waitingChars -= length;
      onStored(this.storedId);
      if (request.ending) {
        this.close();
        this.#onEnded(true);
      } else if (this.#held && (this.#maySend() || this.#held.id <= this.storedId)) this.#decideHeld(true);
    } catch (err) {
      this.#failures += 1;
      const { replyId } = this.#options;
      if (this.#failures === 1) log.warn({ err, replyId }, "storing a reply failed; retrying");
      if (this.#isOpen && performance.now() - this.#renewedAtMs > leaseMs) this.#lose();
    } finally {
      this.#isAppending = false;
      this.#schedule();
    }
  }

  #takeRequest(): AppendRequest {
    const { replyId, leaseMs } = this.#options;
    const events: string[] = [];
    for (let chars = 0; events.length < this.#waiting.length;) {
      const { json, usedTokens } = this.#waiting[events.length]!;
      chars += json.length;
      if (events.length > 0 && chars > maxPieceChars) break;
      events.push(json);
      this.#usedTokens = usedTokens;
    }
    this.#waiting.splice(0, events.length);
    const ending = this.#waiting.length === 0 ? this.#ending : null;
    const headers = this.#headers;
    this.#headers = null;
    const firstId = this.storedId + 1;
    return { replyId, leaseMs, firstId, events, usedTokens: this.#usedTokens, headers, ending };
  }

  #decideHeld(maySend: boolean): void {
    this.#held?.decide(maySend);
    this.#held = null;
  }

  #lose(): void {
    this.close();
    this.#options.onLost();
    this.#decideHeld(false);
    this.#onEnded(false);
  }
}
