import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "~/platform/clock";
import { toEventJson } from "~/platform/http/sse.server";
import { Refusal } from "~/platform/http/refusal";
import type { Log } from "~/platform/log.server";
import { AnswerAppender } from "./answer-appender.server";
import { AnswerFeed } from "./answer-feed.server";
import { followAnswer } from "./answer-follower.server";
import type { AnswerNotices } from "./answer-notices";
import { findHeaders } from "./answer-headers.server";
import { AnswerReader } from "./answer-reader.server";
import { OpenAnswer } from "./open-answer.server";
import type {
  Alongside,
  AnswerSession,
  BeginRequest,
  Conversation,
  FoundAnswer,
  KeptAnswerStore,
} from "./kept-answer-store.server";

export const writerGoneText = "The answer broke off: the server that wrote it has ended. Ask again.";

const endingEvents = [
  { type: "error", errorText: writerGoneText },
  { type: "finish", messageMetadata: { finishReason: "error" } },
].map(toEventJson);

/** A stop and a shutdown wait so long for endings to be stored. */
const endingWait = () => delay(2_000, undefined, { ref: false });

/** Answers take seconds; how many is unknown. */
const retryLater = { "Retry-After": "5" };

export type KeptAnswersOptions = {
  store: KeptAnswerStore;
  notices: AnswerNotices;
  leaseMs: number;
  /** How long an answer is kept after its end. */
  keptForMs: number;
  maxOpen: number;
  /** Settles the reservation that has the answer's id; nothing where it is settled already. */
  settle: (usage: { reservationId: string; usedTokens: number }) => Promise<unknown>;
  shutdownSignal: AbortSignal;
  clock: Clock;
  log: Log;
};

export type KeptAnswers = ReturnType<typeof createKeptAnswers>;

/** `openFor`: whom an answer counts for while it is under way. */
export type AnswerOwner = Conversation & Pick<BeginRequest, "openFor" | "proofHash">;

/** Answers that go on without their reader, and can be taken up again on any instance. */
export function createKeptAnswers(options: KeptAnswersOptions) {
  const { store, notices, leaseMs, keptForMs, maxOpen, shutdownSignal, clock, log } = options;
  const appender = new AnswerAppender({ store, leaseMs, log });
  const writtenHere = new Set<OpenAnswer>();
  const findHere = (replyId: string) => [...writtenHere].find((answer) => answer.replyId === replyId);
  const followed = new Map<string, AnswerFeed>();
  const expiresAtMs = () => clock() + keptForMs;
  const { conclude, undoBegin, settleLost, settleEnded } = createSettling(options, expiresAtMs);

  /** When the lease was asked for. */
  async function begin(replyId: string, owner: AnswerOwner, alongside?: Alongside): Promise<number> {
    for (;;) {
      const askedAtMs = performance.now();
      const result = await store.begin({ replyId, maxOpen, leaseMs, ...owner }, alongside);
      if (result.outcome === "begun") return askedAtMs;
      if (result.outcome === "abandoned") await conclude(result.replyId);
      else if (result.outcome === "too-many") throw new Refusal("too-many-answers", { headers: retryLater });
      else throw underWay(result.replyId);
    }
  }

  async function beginOrUndo(...request: Parameters<typeof begin>): Promise<number> {
    try {
      return await begin(...request);
    } catch (error) {
      if (!(error instanceof Refusal)) await Promise.race([undoBegin(request[0]), endingWait()]);
      throw error;
    }
  }

  function follow(feed: AnswerFeed): void {
    const { replyId } = feed;
    followed.set(replyId, feed);
    const onEnd = () => void followed.delete(replyId);
    const patienceMs = 2 * leaseMs;
    void followAnswer({ feed, store, notices, conclude, patienceMs, shutdownSignal, onEnd, log });
  }

  /** An answer that is to begin. */
  function prepare(owner: AnswerOwner): OpenAnswer {
    return new OpenAnswer({
      store,
      appender,
      notices,
      expiresAtMs,
      take: (replyId, alongside) => beginOrUndo(replyId, owner, alongside),
      follow,
      settleLost,
      onOpen: (answer) => writtenHere.add(answer),
      onClose: (answer) => void writtenHere.delete(answer),
      log,
    });
  }

  return {
    prepare,
    find: store.find,
    headersOf: (found: FoundAnswer, conversation: Conversation) =>
      findHeaders({ store, found, conversation, findHere: (replyId) => findHere(replyId)?.headers }),
    /** From the event after `afterId` on, to the end. */
    read({ replyId, lastId, ending }: FoundAnswer, afterId: number): AnswerReader {
      const live = findHere(replyId)?.feed ?? followed.get(replyId);
      const feed = live ?? new AnswerFeed(replyId, lastId);
      const reader = new AnswerReader({ feed, store, afterId });
      if (!live && ending) feed.end(ending);
      else if (!live) follow(feed);
      return reader;
    },
    ...createStopping(options, findHere),
    /** Concludes what has lost its writer, also where nobody reads it, and settles what could not be settled before. */
    async concludeAbandoned(): Promise<void> {
      for (const replyId of await store.listAbandoned()) {
        await conclude(replyId).catch((err: unknown) =>
          log.warn({ err, replyId }, "answer could not be concluded"),
        );
      }
      await settleEnded();
    },
    /** Resolves when the answers written here have ended, by themselves or by the shutdown's signal. */
    async drain(): Promise<void> {
      const ended = Promise.all([...writtenHere].map(({ done }) => done));
      if (!shutdownSignal.aborted) await Promise.race([ended, once(shutdownSignal, "abort")]);
      await Promise.race([ended, endingWait()]);
    },
  };
}

type FindHere = (replyId: string) => OpenAnswer | undefined;

function createStopping({ store, notices }: KeptAnswersOptions, findHere: FindHere) {
  /** What was asked to stop learns of it now. Those that are written here. */
  function tellToStop(replyIds: readonly string[]): OpenAnswer[] {
    const here = replyIds.flatMap((replyId) => findHere(replyId) ?? []);
    for (const answer of here) answer.stop();
    const elsewhere = replyIds.filter((replyId) => !findHere(replyId));
    if (elsewhere.length > 0) notices.tell(elsewhere);
    return here;
  }

  return {
    /** Resolves when the answer has ended, where it is written here. */
    async stop(conversation: Conversation): Promise<void> {
      const replyId = await store.askToStop(conversation);
      const [here] = replyId === null ? [] : tellToStop([replyId]);
      if (here) await Promise.race([here.done, endingWait()]);
    },
    /** All answers that a session has begun. */
    async stopSession(session: AnswerSession): Promise<void> {
      tellToStop(await store.askToStopSession(session));
    },
  };
}

/** What is to be settled by others than the writer at its end. */
function createSettling({ store, notices, settle, log }: KeptAnswersOptions, expiresAtMs: () => number) {
  /** Ended by this process as far as it knows: the store's word that they did may have been lost. */
  const unsettled = new Set<string>();

  /** Settles those that have ended. Whoever ends another one settles it. */
  async function settleEnded(): Promise<void> {
    const replyIds = [...unsettled];
    if (replyIds.length === 0) return;
    const usages = await store.findUsages(replyIds);
    for (const replyId of replyIds) {
      const usage = usages.get(replyId);
      if (usage?.isUnderWay) continue;
      try {
        if (usage) await settle({ reservationId: replyId, usedTokens: usage.usedTokens });
        unsettled.delete(replyId);
      } catch (err) {
        log.warn({ err, replyId }, "answer could not be settled");
      }
    }
  }

  /** Ends an answer that has lost its writer, and settles it with what was stored. */
  async function conclude(replyId: string): Promise<void> {
    unsettled.add(replyId);
    const usage = await store.conclude({ replyId, endingEvents, expiresAtMs: expiresAtMs() });
    if (usage === null) return await settleEnded();
    log.warn({ replyId }, "answer concluded: its writer is gone");
    await settle({ reservationId: replyId, ...usage });
    unsettled.delete(replyId);
    notices.tell([replyId]);
  }

  /** Its writer has lost it, and may have ended it all the same. */
  async function settleLost(replyId: string): Promise<void> {
    unsettled.add(replyId);
    await settleEnded();
  }

  /** Where it is unknown whether it was begun, nothing is to be left of it. */
  async function undoBegin(replyId: string): Promise<void> {
    try {
      await settle({ reservationId: replyId, usedTokens: 0 });
      await store.discard(replyId);
    } catch (err) {
      log.warn({ err }, "answer that did not begin could not be discarded");
    }
  }

  return { conclude, undoBegin, settleLost, settleEnded };
}

function underWay(replyId: string): Refusal {
  return new Refusal("answer-under-way", { members: { replyId }, headers: retryLater });
}
