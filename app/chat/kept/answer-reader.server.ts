import { AsyncResource } from "node:async_hooks";
import { StreamCutOff } from "~/platform/http/sse.server";
import type { EventSource } from "~/platform/http/sse.server";
import { takeEvents } from "./answer-feed.server";
import type { AnswerFeed, FeedReader } from "./answer-feed.server";
import type { KeptAnswerStore, KeptEvent } from "./kept-answer-store.server";

/** Read from the store at once by a reader who lags behind. */
const maxReadBytes = 256 * 1024;

type Options = { feed: AnswerFeed; store: Pick<KeptAnswerStore, "read">; afterId: number };

/**
 * The events of an answer after `afterId`, to its end, as many at a time as there are. Those held by the feed as they
 * come; older ones from the store.
 */
export class AnswerReader implements EventSource, FeedReader {
  lastId: number;
  readonly #options: Options;
  /** Whose reads of the store they are: the writer calls, too. */
  readonly #context = new AsyncResource("AnswerReader");
  #tellMore = () => {};
  #isReading = false;
  /** JSON of the events after `lastId`. */
  #fromStore: string[] = [];
  #isEnding = false;
  #isClosed = false;
  #fault: StreamCutOff | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.lastId = options.afterId;
    options.feed.attach(this);
  }

  onMore(listener: () => void): void {
    this.#tellMore = listener;
  }

  look(): void {
    this.#tellMore();
  }

  /** Where there is nothing, the feed comes back when there may be. */
  take(): readonly KeptEvent[] | null {
    const { feed } = this.#options;
    if (this.#fault !== null) throw this.#fault;
    if (this.#isClosed) return null;
    // More may be said in this tick of the loop.
    if (this.#isReading || feed.isWaking) return [];
    this.#goToEnding();
    const events = this.#takeNext();
    const last = events.at(-1);
    if (last !== undefined) this.lastId = last.id;
    else if (feed.isBehind(this.lastId)) this.#context.runInAsyncScope(() => void this.#readOn());
    else if (feed.ending !== null) {
      this.close();
      return null;
    } else if (feed.fault !== null) throw this.#cutOff("The answer goes on elsewhere", feed.fault);
    return events;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#fromStore = [];
    this.#options.feed.detach(this);
  }

  #takeNext(): KeptEvent[] {
    if (this.#fromStore.length === 0) return this.#options.feed.eventsAfter(this.lastId);
    const events = takeEvents(this.#fromStore, 0, this.lastId);
    this.#fromStore.splice(0, events.length);
    return events;
  }

  /** Once: whoever had more than there is, or than was stored when its writer broke off, gets the ending all the same. */
  #goToEnding(): void {
    const { ending, lastId } = this.#options.feed;
    if (ending === null || this.#isEnding) return;
    this.#isEnding = true;
    const hasSeenMore = ending.isBroken ? this.lastId >= ending.endingId : this.lastId > lastId;
    if (hasSeenMore) this.lastId = ending.endingId - 1;
  }

  async #readOn(): Promise<void> {
    const { store, feed } = this.#options;
    const request = { replyId: feed.replyId, afterId: this.lastId, maxBytes: maxReadBytes };
    this.#isReading = true;
    try {
      const part = await store.read(request);
      if (this.#isClosed) return;
      if (!part?.events.length) return void this.#cutOff("The answer is not kept any more");
      // What the feed does not have yet may be an ending, of which only the feed tells.
      this.#fromStore = part.events.filter(({ id }) => id <= feed.lastId).map(({ json }) => json);
    } catch (cause) {
      if (!this.#isClosed) this.#cutOff("The store of answers is away", cause);
    } finally {
      this.#isReading = false;
      this.look();
    }
  }

  #cutOff(message: string, cause?: unknown): StreamCutOff {
    this.close();
    return (this.#fault = new StreamCutOff(message, { cause }));
  }
}
