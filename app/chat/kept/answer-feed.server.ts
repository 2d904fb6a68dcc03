import type { AnswerEnding, KeptEvent } from "./kept-answer";

/** More of what is stored is dropped: a reader that lags behind reads from the store. */
const maxHeldChars = 8 * 1024;

/** An answer that this process writes, for its readers here: its newest events, and how it ended. */
export class AnswerFeed {
  lastId = 0;
  /** Set together with the last events. */
  ending: AnswerEnding | null = null;
  /** It did not begin after all. */
  hasFailed = false;
  /** The lease is lost: its readers go on in the store. */
  isLost = false;
  /** Called when there may be something new. */
  readonly listeners = new Set<() => void>();
  /** JSON of events; the last one has `lastId`. */
  #held: string[] = [];
  #heldChars = 0;
  #isTelling = false;

  /** The next event. */
  say(json: string): void {
    this.#held.push(json);
    this.#heldChars += json.length;
    this.lastId += 1;
    this.tell();
  }

  eventAfter(id: number): KeptEvent | null {
    const json = this.#held[id + 1 - this.#firstId()];
    return json === undefined ? null : { id: id + 1, json };
  }

  /** Whether the event after `id` is in the store alone. */
  isBehind(id: number): boolean {
    return id + 1 < this.#firstId();
  }

  /** Stored events need not be held. */
  release(storedId: number): void {
    while (this.#heldChars > maxHeldChars && this.#firstId() <= storedId)
      this.#heldChars -= this.#held.shift()!.length;
  }

  /** Readers look once for everything that happens in a tick of the loop. */
  tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const listener of this.listeners) listener();
    });
  }

  #firstId(): number {
    return this.lastId - this.#held.length + 1;
  }
}
