import type { ReplyEnding, KeptEvent } from "./kept-reply";

/** Beyond this, stored events are dropped: readers that lag behind read from the store. */
const maxHeldChars = 8 * 1024;

/** The newest events of a reply that this process writes, for its readers here. */
export class ReplyFeed {
  lastId = 0;
  /** Set with the last events. */
  ending: ReplyEnding | null = null;
  /** The reply never began. */
  hasFailed = false;
  /** The lease is lost. Readers continue in the store. */
  isLost = false;
  readonly listeners = new Set<() => void>();
  /** JSON; the last one has `lastId`. */
  #held: string[] = [];
  #heldChars = 0;
  #isTelling = false;

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

  /** Whether only the store has the event after `id`. */
  isBehind(id: number): boolean {
    return id + 1 < this.#firstId();
  }

  release(storedId: number): void {
    while (this.#heldChars > maxHeldChars && this.#firstId() <= storedId)
      this.#heldChars -= this.#held.shift()!.length;
  }

  /** Once per loop turn. */
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
