import { setMaxListeners } from "node:events";
import type { WarnLog } from "~/platform/log.server";
import type { AnswerFeed } from "./answer-feed.server";
import type { AnswerNotices } from "./answer-notices";
import type { KeptAnswerStore } from "./kept-answer-store.server";

/** Between two looks, where nothing tells that there is something new. */
const lookEveryMs = 200;
const maxReadBytes = 256 * 1024;

type Options = {
  feed: AnswerFeed;
  store: Pick<KeptAnswerStore, "read">;
  notices: AnswerNotices;
  /** Ends an answer that has lost its writer. */
  conclude: (replyId: string) => Promise<void>;
  /** How long the store may be away before readers are sent away, to come back. */
  patienceMs: number;
  shutdownSignal: AbortSignal;
  /** At the very moment from which nobody fills the feed any more. */
  onEnd: () => void;
  log: WarnLog;
};

/** Fills the feed of an answer that another process writes, for as long as somebody reads it here. */
export async function followAnswer(options: Options): Promise<void> {
  const { feed, notices, patienceMs, shutdownSignal, onEnd, log } = options;
  const bell = createBell();
  const unsubscribe = notices.subscribe(feed.replyId, bell.ring);
  setMaxListeners(0, shutdownSignal);
  shutdownSignal.addEventListener("abort", bell.ring);
  let lastLookedAtMs = performance.now();
  try {
    while (feed.readerCount > 0 && feed.ending === null && feed.fault === null) {
      try {
        if (shutdownSignal.aborted) throw new Error("The server is shutting down");
        const hasMore = await look(options);
        lastLookedAtMs = performance.now();
        if (!hasMore) await bell.wait(lookEveryMs);
      } catch (err) {
        const isFinal = shutdownSignal.aborted || err instanceof AnswerGone;
        if (isFinal || performance.now() - lastLookedAtMs > patienceMs) {
          log.warn({ err }, "answer could not be followed");
          feed.fail(err as Error);
        } else await bell.wait(lookEveryMs);
      }
    }
  } finally {
    onEnd();
    unsubscribe();
    shutdownSignal.removeEventListener("abort", bell.ring);
  }
}

/** Whether to look again at once. */
async function look({ feed, store, conclude }: Options): Promise<boolean> {
  const { replyId, lastId } = feed;
  const part = await store.read({ replyId, afterId: lastId, maxBytes: maxReadBytes });
  if (part === null) throw new AnswerGone("The answer is not kept any more");
  const isWhole = (part.events.at(-1)?.id ?? lastId) >= part.lastId;
  // Part of an ending must not come without the news that it is one.
  if (isWhole || part.ending === null) feed.push(part.events);
  feed.release(feed.lastId);
  if (part.ending !== null) feed.end(part.ending, part.lastId);
  else if (isWhole && !part.hasWriter) await conclude(replyId);
  return !isWhole || !part.hasWriter;
}

export class AnswerGone extends Error {
  override readonly name = "AnswerGone";
}

function createBell() {
  let wake = () => {};
  let hasRung = false;
  return {
    ring: (): void => {
      hasRung = true;
      wake();
    },
    /** Until it rings, or has rung since the last time. */
    async wait(ms: number): Promise<void> {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasRung = false;
    },
  };
}
