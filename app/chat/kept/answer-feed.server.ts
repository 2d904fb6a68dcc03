import type { AnswerEnding, KeptEvent } from "./kept-answer";

/** UTF-16 units of at most two bytes: 1 MiB, shared by all readers. A reader that lags further behind reads from the store. */
const maxHeldChars = 512 * 1024;

/** `lastId`: of the last event that the reader took. `look`: there may be something new for it. */
export type FeedReader = { readonly lastId: number; look: () => void };

/** An answer that this process writes, for its readers here: its newest events, and how it ended. */
export class AnswerFeed {
  lastId = 0;
  /** Set together with the last events. */
  ending: AnswerEnding | null = null;
  /** It did not begin after all. */
  hasFailed = false;
  /** The lease is lost: its readers go on in the store. */
  isLost = false;
  readonly #readers = new Set<FeedReader>();
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

  attach(reader: FeedReader): void {
    this.#readers.add(reader);
  }

  detach(reader: FeedReader): void {
    this.#readers.delete(reader);
  }

  eventAfter(id: number): KeptEvent | null {
    const json = this.#held[id + 1 - this.#firstId()];
    return json === undefined ? null : { id: id + 1, json };
  }

  /** Whether the event after `id` is in the store alone. */
  isBehind(id: number): boolean {
    return id + 1 < this.#firstId();
  }

  /** Drops stored events that every reader has taken, and more if too much is held. */
  release(storedId: number): void {
    const neededId = Math.min(this.lastId, ...[...this.#readers].map(({ lastId }) => lastId));
    const firstId = this.#firstId();
    let count = 0;
    for (const { length } of this.#held) {
      const id = firstId + count;
      if (id > storedId || (id > neededId && this.#heldChars <= maxHeldChars)) break;
      this.#heldChars -= length;
      count += 1;
    }
    this.#held.splice(0, count);
  }

  /** Readers look once for everything that happens in a tick of the loop. */
  tell(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const reader of this.#readers) reader.look();
    });
  }

  #firstId(): number {
    return this.lastId - this.#held.length + 1;
  }
}
