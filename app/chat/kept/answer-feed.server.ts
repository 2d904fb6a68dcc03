import type { AnswerEnding, KeptEvent } from "./kept-answer-store.server";

/** UTF-16 units of at most two bytes: 1 MiB. Held for all readers of an answer together; whoever lags further behind reads from the store. */
const maxHeldChars = 512 * 1024;

/** Handed on together: of more, a slow client would have more read ahead for it. */
const maxTakenChars = 4 * 1024;

/** `lastId`: of the last event that the reader took. `look`: there may be something new for it. */
export type FeedReader = { readonly lastId: number; look: () => void };

/** One answer for its readers in this process: its newest events, and how it ended. */
export class AnswerFeed {
  readonly replyId: string;
  readonly #readers = new Set<FeedReader>();
  /** JSON of events; the last one has `lastId`. */
  #held: string[] = [];
  #heldChars = 0;
  #lastId: number;
  #ending: AnswerEnding | null = null;
  #fault: Error | null = null;
  #isWaking = false;

  /** `lastId`: of the events that are stored already. */
  constructor(replyId: string, lastId: number) {
    this.replyId = replyId;
    this.#lastId = lastId;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Set together with the last events. */
  get ending(): AnswerEnding | null {
    return this.#ending;
  }

  /** Why nothing more will come, though it has not ended. */
  get fault(): Error | null {
    return this.#fault;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** The next event. */
  say(json: string): void {
    this.#hold(json);
    this.#tell();
  }

  /** More may happen in this tick of the loop: readers look after it. */
  get isWaking(): boolean {
    return this.#isWaking;
  }

  push(events: readonly KeptEvent[]): void {
    for (const { id, json } of events) if (id > this.#lastId) this.#hold(json);
    this.#tell();
  }

  /** `lastId`: where the last events are in the store alone. */
  end(ending: AnswerEnding, lastId = this.#lastId): void {
    if (lastId > this.#lastId) this.#held = [];
    this.#lastId = lastId;
    this.#ending = ending;
    this.#tell();
  }

  fail(fault: Error): void {
    this.#fault = fault;
    this.#tell();
  }

  attach(reader: FeedReader): void {
    this.#readers.add(reader);
  }

  detach(reader: FeedReader): void {
    this.#readers.delete(reader);
  }

  /** Some of them at least. None where there are none yet, or none here: see `isBehind`. */
  eventsAfter(id: number): KeptEvent[] {
    if (this.isBehind(id)) return [];
    return takeEvents(this.#held, id + 1 - this.#firstId(), id);
  }

  /** What comes after `id` is in the store alone. */
  isBehind(id: number): boolean {
    return id + 1 < this.#firstId();
  }

  /** Lets go of what is stored and every reader has taken, and of more where too much is held. */
  release(storedId: number): void {
    let neededId = this.#lastId;
    for (const { lastId } of this.#readers) neededId = Math.min(neededId, lastId);
    const firstId = this.#firstId();
    let count = 0;
    for (const { length } of this.#held) {
      const id = firstId + count;
      if (id > storedId || (id > neededId && this.#heldChars <= maxHeldChars)) break;
      this.#heldChars -= length;
      count += 1;
    }
    if (count > 0) this.#held.splice(0, count);
  }

  /** Its writer has lost it: what was not stored is not part of it. */
  forgetAfter(storedId: number): void {
    for (; this.#lastId > storedId; this.#lastId -= 1) this.#heldChars -= this.#held.pop()?.length ?? 0;
  }

  /** Readers look once for all that happens in a tick of the loop. */
  #tell(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(this.#wake);
  }

  readonly #wake = (): void => {
    this.#isWaking = false;
    for (const reader of this.#readers) reader.look();
  };

  #hold(json: string): void {
    this.#held.push(json);
    this.#heldChars += json.length;
    this.#lastId += 1;
  }

  #firstId(): number {
    return this.#lastId - this.#held.length + 1;
  }
}

/** Of `texts` from `start` on, numbered on from `afterId`: up to 4 Ki characters, and one event more. */
export function takeEvents(texts: readonly string[], start: number, afterId: number): KeptEvent[] {
  const events: KeptEvent[] = [];
  for (let chars = 0; chars < maxTakenChars; chars += events.at(-1)!.json.length) {
    const json = texts[start + events.length];
    if (json === undefined) break;
    events.push({ id: afterId + events.length + 1, json });
  }
  return events;
}
