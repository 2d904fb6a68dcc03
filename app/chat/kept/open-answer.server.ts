import { randomUUID } from "node:crypto";
import type { WarnLog } from "~/platform/log.server";
import type { ChatEvent } from "../reply/chat-events";
import { stopAsked } from "../reply/reply-run.server";
import type { AnswerAppender, Appending } from "./answer-appender.server";
import { AnswerFeed } from "./answer-feed.server";
import { AnswerGone } from "./answer-follower.server";
import type { AnswerNotices } from "./answer-notices";
import { AnswerReader } from "./answer-reader.server";
import { writeAnswer } from "./answer-writer.server";
import type { Alongside, AnswerHeaders, KeptAnswerStore } from "./kept-answer-store.server";

type Options = {
  store: Pick<KeptAnswerStore, "read" | "discard">;
  appender: AnswerAppender;
  notices: AnswerNotices;
  expiresAtMs: () => number;
  /** Takes the conversation in the store; gives back when the lease was asked for. Throws the refusals `answer-under-way` and `too-many-answers`. */
  take: (replyId: string, alongside?: Alongside) => Promise<number>;
  /** Its readers here follow what others do with it, once its lease is lost. */
  follow: (feed: AnswerFeed) => void;
  /** Whoever lost its lease may have ended it all the same, and not been told. */
  settleLost: (replyId: string) => Promise<void>;
  onOpen: (answer: OpenAnswer) => void;
  onClose: (answer: OpenAnswer) => void;
  log: WarnLog;
};

type Usage = { readUsedTokens: () => number; settle: Alongside | null };

/** Rows of the same moment stand together in their indexes, and so change few pages of the database. */
function timeOrderedId(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** An answer that this process writes, or is about to: until it begins nothing is kept. */
export class OpenAnswer {
  readonly replyId = timeOrderedId();
  readonly feed = new AnswerFeed(this.replyId, 0);
  /** Resolves when it has ended, however. */
  readonly done: Promise<void>;
  /** That its first reader gets; null until they are known. */
  headers: AnswerHeaders | null = null;
  isLost = false;
  readonly #options: Options;
  readonly #end = new AbortController();
  #appending: Appending | null = null;
  #unsubscribe = () => {};
  #finish = () => {};

  constructor(options: Options) {
    this.#options = options;
    this.done = new Promise((resolve) => (this.#finish = resolve));
  }

  /** Aborted when the lease is lost, so that nobody may go on writing it, or for the reason `stopAsked`. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** `alongside` is done in the same transaction, where there is one. */
  async begin(alongside?: Alongside): Promise<void> {
    const { take, appender, notices, onOpen } = this.#options;
    const { replyId } = this;
    const askedAtMs = await appender.expect(() => take(replyId, alongside));
    const onStored = (storedId: number, hasEnded: boolean) => {
      this.feed.release(storedId);
      // Not each append: readers elsewhere, whom most answers have none of, look five times a second by themselves.
      if (hasEnded) notices.tell([replyId]);
    };
    const onLost = () => {
      this.isLost = true;
      this.#end.abort();
    };
    const listener = { replyId, onStored, onStopAsked: () => this.stop(), onLost };
    const appending = appender.open(listener, askedAtMs);
    this.#appending = appending;
    this.#unsubscribe = notices.subscribe(replyId, appending.look);
    onOpen(this);
  }

  tellHeaders(headers: AnswerHeaders): void {
    this.headers = headers;
    this.#appending?.tellHeaders(headers);
  }

  stop(): void {
    this.#end.abort(stopAsked);
  }

  /** It failed before its first byte, so that nothing of it is kept. */
  async discard(): Promise<void> {
    const { store, log } = this.#options;
    if (!this.#appending) return;
    this.#appending.close();
    this.feed.fail(new AnswerGone("The answer did not begin"));
    try {
      await store.discard(this.replyId);
    } catch (err) {
      log.warn({ err }, "answer that did not begin could not be discarded");
    } finally {
      this.#close();
    }
  }

  /** The first reader's events. The answer is written on whether or not they are read. */
  write(events: AsyncIterable<ChatEvent>, usage: Usage): AnswerReader {
    const { store, expiresAtMs, log } = this.#options;
    const { feed } = this;
    const appending = this.#appending;
    if (!appending) throw new Error("The answer has not begun.");
    const reader = new AnswerReader({ feed, store, afterId: 0 });
    void writeAnswer({ events, feed, appending, ...usage, expiresAtMs, log })
      .then((isStored) => (isStored ? undefined : this.#goOnFollowing(appending.storedId())))
      .catch((err: unknown) => log.warn({ err }, "quota settlement failed"))
      .finally(() => this.#close());
    return reader;
  }

  async #goOnFollowing(storedId: number): Promise<void> {
    const { follow, settleLost, onClose } = this.#options;
    this.feed.forgetAfter(storedId);
    // Whoever comes from now on finds what is followed, or begins to.
    onClose(this);
    if (this.feed.readerCount > 0) follow(this.feed);
    await settleLost(this.replyId);
  }

  #close(): void {
    this.#unsubscribe();
    this.#options.onClose(this);
    this.#finish();
  }
}
