import { setTimeout as delay } from "node:timers/promises";
import { StreamCutOff } from "~/chat/event-stream.server";
import type { EventSource } from "~/chat/event-stream.server";
import type { ReplyFeed } from "./reply-feed.server";
import type { ReplyEnding, KeptEvent } from "./kept-reply";
import type { KeptAnswerStore } from "./kept-answers.store.server";

/** How often an instance polls the store for another one's changes. */
export const lookEveryMs = 200;
const maxReadBytes = 256 * 1024;

/** `isLater`: after `lookEveryMs`. */
type StoreRead = { replyId: string; afterId: number; isLater: boolean };

/** Readers at the same event share one read of the store. */
export function createSharedRead(store: Pick<KeptAnswerStore, "read">, signal: AbortSignal) {
  const reads = new Map<string, ReturnType<KeptAnswerStore["read"]>>();
  async function readOnce({ replyId, afterId, isLater }: StoreRead) {
    if (isLater) await delay(lookEveryMs, undefined, { signal });
    return await store.read({ replyId, afterId, maxBytes: maxReadBytes });
  }
  return (wanted: StoreRead): ReturnType<KeptAnswerStore["read"]> => {
    const key = Object.values(wanted).join(" ");
    const read = reads.get(key) ?? readOnce(wanted).finally(() => reads.delete(key));
    reads.set(key, read);
    return read;
  };
}

type ReplyReaderOptions = {
  replyId: string;
  /** Null if another process writes the reply, or if it has ended. */
  feed: ReplyFeed | null;
  afterId: number;
  read: ReturnType<typeof createSharedRead>;
  /** Ends a reply whose writer is gone. */
  conclude: (replyId: string) => Promise<void>;
  /** How long the store may be unreachable before the reader is cut off. */
  patienceMs: number;
  shutdownSignal: AbortSignal;
};

/** The events of a reply after `afterId`: from memory if this process writes it, otherwise from the store. */
export class ReplyReader implements EventSource {
  #lastId: number;
  readonly #options: ReplyReaderOptions;
  #tellMore = () => {};
  readonly #look = () => this.#tellMore();
  #fromStore: KeptEvent[] = [];
  /** The last stored event, if the reader is ahead of it. Such readers share the read there. */
  #storedId = Infinity;
  #isIdle = false;
  #isReading = false;
  /** The ending is known, and the reader is before it. */
  #isEnding = false;
  #isWhole = false;
  #isClosed = false;
  #fault: StreamCutOff | null = null;

  constructor(options: ReplyReaderOptions) {
    this.#options = options;
    this.#lastId = options.afterId;
    options.feed?.listeners.add(this.#look);
  }

  onMore(listener: () => void): void {
    this.#tellMore = listener;
  }

  take(): readonly KeptEvent[] | null {
    const feed = this.#options.feed?.isLost ? null : this.#options.feed;
    if (feed?.hasFailed) this.#cutOff("The reply never began");
    if (this.#fault !== null) throw this.#fault;
    if (this.#isClosed) return null;
    if (feed?.ending) this.#goToEnding(feed.ending, feed.lastId);
    const event = this.#fromStore.shift() ?? feed?.eventAfter(this.#lastId);
    if (event) {
      this.#lastId = event.id;
      return [event];
    }
    const isInMemory = feed !== null && !feed.isBehind(this.#lastId);
    if (isInMemory ? feed.ending !== null : this.#isWhole) {
      this.close();
      return null;
    }
    if (!isInMemory && !this.#isReading) void this.#readOn();
    return [];
  }

  close(): void {
    this.#isClosed = true;
    this.#options.feed?.listeners.delete(this.#look);
  }

  /** A reader that has seen more than was stored gets the ending all the same, once. */
  #goToEnding({ endingId, isBroken }: ReplyEnding, lastId: number): boolean {
    if (this.#isEnding) return false;
    this.#isEnding = true;
    const hasSeenMore = isBroken ? this.#lastId >= endingId : this.#lastId > lastId;
    if (hasSeenMore) this.#lastId = endingId - 1;
    return hasSeenMore;
  }

  /** Until something new, or the end. */
  async #readOn(): Promise<void> {
    const { patienceMs, shutdownSignal } = this.#options;
    this.#isReading = true;
    let lookedAtMs = performance.now();
    while (!this.#isClosed && !this.#isWhole && this.#fromStore.length === 0) {
      try {
        await this.#lookAtStore();
        lookedAtMs = performance.now();
      } catch (cause) {
        const isOver = shutdownSignal.aborted || performance.now() - lookedAtMs > patienceMs;
        if (isOver) this.#cutOff("Reading the reply failed", cause);
        else await delay(lookEveryMs);
      }
    }
    this.#isReading = false;
    this.#tellMore();
  }

  async #lookAtStore(): Promise<void> {
    const { replyId, read, conclude } = this.#options;
    const afterId = Math.min(this.#lastId, this.#storedId);
    const part = await read({ replyId, afterId, isLater: this.#isIdle });
    this.#isIdle = false;
    if (part?.ending && this.#goToEnding(part.ending, part.lastId)) return;
    if (part === null || (part.events.length === 0 && part.lastId > afterId)) {
      this.#cutOff("The reply is gone");
      return;
    }
    const readId = part.events.at(-1)?.id ?? part.lastId;
    this.#storedId = readId < this.#lastId ? readId : Infinity;
    this.#fromStore = part.events.filter(({ id }) => id > this.#lastId);
    const isAll = readId >= part.lastId;
    this.#isIdle = isAll && part.hasWriter;
    if (!isAll || this.#isIdle || this.#fromStore.length > 0) return;
    if (part.ending) this.#isWhole = true;
    else await conclude(replyId);
  }

  #cutOff(message: string, cause?: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#fault = new StreamCutOff(message, { cause });
  }
}
