import type { AnswerHeaders, AppendRequest } from "./kept-answer-store.server";

export type AnswerListener = {
  replyId: string;
  /** Something was stored, which may be the ending. */
  onStored: (storedId: number, hasEnded: boolean) => void;
  onStopAsked: () => void;
  /** Nothing of it can be stored any more. Called once, and nothing after it. */
  onLost: () => void;
};

type Ending = NonNullable<AppendRequest["ending"]>;

export type AnswerEnd = Omit<Ending, "endingId"> & { events: readonly string[]; usedTokens: number };

/** What of an answer is not stored yet. */
export class UnstoredAnswer {
  readonly listener: AnswerListener;
  /** False once nothing of it is to be stored any more. */
  isOpen = true;
  storedId = 0;
  renewedAtMs: number;
  ending: Ending | null = null;
  onEnded: (isStored: boolean) => void = () => undefined;
  /** Until they are stored. */
  headers: AnswerHeaders | null = null;
  waitingChars = 0;
  #waiting: string[] = [];
  #usedTokens = 0;
  #awaited: { id: number; decide: (isHeld: boolean) => void } | null = null;

  constructor(listener: AnswerListener, askedAtMs: number) {
    this.listener = listener;
    this.renewedAtMs = askedAtMs;
  }

  add(json: string, usedTokens: number): void {
    this.#waiting.push(json);
    this.waitingChars += json.length;
    this.#usedTokens = usedTokens;
  }

  /** Resolves when what was added last is stored, or may be sent before, with true. */
  stored(): Promise<boolean> {
    const id = this.storedId + this.#waiting.length;
    return new Promise((decide) => (this.#awaited = { id, decide }));
  }

  decide(maySend: boolean): void {
    if (this.#awaited === null || !(maySend || this.#awaited.id <= this.storedId)) return;
    this.#awaited.decide(true);
    this.#awaited = null;
  }

  lose(): void {
    this.#awaited?.decide(false);
    this.#awaited = null;
  }

  end({ events, usedTokens, ...ending }: AnswerEnd): void {
    this.ending = { endingId: this.storedId + this.#waiting.length + 1, ...ending };
    this.#waiting.push(...events);
    for (const { length } of events) this.waitingChars += length;
    this.#usedTokens = usedTokens;
  }

  /** What is done alongside an ending may be why a write failed: then it is left out, so that it holds up no answer. */
  noteFailure(): void {
    if (this.ending) this.ending = { ...this.ending, alongside: null };
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
      headers: this.headers,
      ...(this.ending && { ending: this.ending }),
    };
  }

  /** False where the store is behind what it had stored: it is another one. */
  noteStored(lastId: number): boolean {
    const count = lastId - this.storedId;
    if (count < 0 || count > this.#waiting.length) return false;
    for (const { length } of this.#waiting.splice(0, count)) this.waitingChars -= length;
    this.storedId = lastId;
    return true;
  }
}
