import { toEventJson } from "~/chat/event-stream.server";
import type { WarnLog } from "~/platform/log/log.server";
import { countCharacters } from "~/platform/text/well-formed-text";
import { charsPerToken } from "../chat-limits";
import type { ChatEvent } from "../reply/chat-events";
import { stopAsked } from "../reply/reply-run.server";
import { ReplyAppender } from "./reply-appender.server";
import { ReplyFeed } from "./reply-feed.server";
import type { ReplyHeaders } from "./kept-reply";
import type { KeptAnswerStore } from "./kept-answers.store.server";

type Options = {
  replyId: string;
  store: Pick<KeptAnswerStore, "append">;
  leaseMs: number;
  expiresAtMs: () => number;
  /** Takes the conversation in the store. Returns when the lease was requested. */
  take: () => Promise<number>;
  /** Never rejects. */
  discard: () => Promise<void>;
  settleLost: () => Promise<void>;
  onOpen: (reply: OpenReply) => void;
  onClose: (reply: OpenReply) => void;
  log: WarnLog;
};

type Use = {
  readUsedTokens: () => number;
  /** Called once the ending is stored. */
  settle: () => Promise<void>;
};

/** A reply that this process writes, or is about to. */
export class OpenReply {
  readonly replyId: string;
  readonly feed = new ReplyFeed();
  readonly done: Promise<void>;
  /** Null until they are known. */
  headers: ReplyHeaders | null = null;
  readonly #options: Options;
  readonly #end = new AbortController();
  #appender: ReplyAppender | null = null;
  #finish = () => {};

  constructor(options: Options) {
    this.#options = options;
    this.replyId = options.replyId;
    this.done = new Promise((resolve) => (this.#finish = resolve));
  }

  /** Aborted when the lease is lost, or with the reason `stopAsked`. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  async begin(): Promise<void> {
    const { take, onOpen } = this.#options;
    const askedAtMs = await take();
    this.#appender = new ReplyAppender({
      ...this.#options,
      askedAtMs,
      onStored: (storedId) => this.feed.release(storedId),
      onLost: () => this.#lose(),
    });
    onOpen(this);
  }

  setHeaders(headers: ReplyHeaders): void {
    this.headers = headers;
    this.#appender?.setHeaders(headers);
  }

  stop(): void {
    this.#end.abort(stopAsked);
  }

  /** After a failure before the first byte. */
  async discard(): Promise<void> {
    if (!this.#appender) return;
    this.#appender.close();
    this.feed.hasFailed = true;
    this.feed.tell();
    await this.#options.discard();
    this.#close();
  }

  /** Writes the reply to its end, even without readers. */
  async write(events: AsyncIterable<ChatEvent>, use: Use): Promise<void> {
    const { settleLost, log } = this.#options;
    try {
      const ending = await this.#writeEvents(events);
      if (ending === null || !(await this.#writeEnding(ending, use))) await settleLost();
    } catch (err) {
      log.warn({ err }, "quota settlement failed");
    } finally {
      this.#close();
    }
  }

  /** Readers get each event at once. Returns the ending, or null if the lease was lost. */
  async #writeEvents(events: AsyncIterable<ChatEvent>): Promise<string[] | null> {
    const ending: string[] = [];
    let usedChars = 0;
    try {
      for await (const event of events) {
        const json = toEventJson(event);
        if (event.type === "error" || event.type === "finish") {
          ending.push(json);
          continue;
        }
        usedChars += countOutput(event);
        const maySend = this.#appender!.add(json, Math.ceil(usedChars / charsPerToken));
        if (maySend !== true && !(await maySend)) return null;
        this.feed.say(json);
      }
    } catch (err) {
      this.#options.log.warn({ err }, "chat stream failed");
      return [{ type: "error", errorText: "The answer broke off." }, { type: "finish" }].map(toEventJson);
    }
    return ending;
  }

  /** Readers get the ending once it is stored and settled, because it frees the conversation. */
  async #writeEnding(events: readonly string[], { readUsedTokens, settle }: Use): Promise<boolean> {
    const { expiresAtMs, log } = this.#options;
    const endingId = this.feed.lastId + 1;
    if (!(await this.#appender!.end(events, readUsedTokens(), expiresAtMs()))) return false;
    await settle().catch((err: unknown) => log.warn({ err }, "quota settlement failed"));
    for (const json of events) this.feed.say(json);
    this.feed.ending = { endingId, isBroken: false };
    this.feed.tell();
    return true;
  }

  /** Readers continue in the store. */
  #lose(): void {
    this.feed.isLost = true;
    this.#options.onClose(this);
    this.feed.tell();
    this.#end.abort();
  }

  #close(): void {
    this.#options.onClose(this);
    this.#finish();
  }
}

function countOutput(event: ChatEvent): number {
  if (event.type === "text-delta") return countCharacters(event.delta);
  if (event.type === "tool-input-available") return countCharacters(JSON.stringify(event.input));
  return 0;
}
