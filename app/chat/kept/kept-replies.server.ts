import { randomUUID } from "node:crypto";
import { once, setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "~/platform/time/clock";
import { toEventJson } from "~/chat/event-stream.server";
import { Refusal } from "~/platform/refusals/refusal";
import type { Log } from "~/platform/log/log.server";
import { ReplyReader, createSharedRead, lookEveryMs } from "./reply-reader.server";
import type { ReplyHeaders, ReplySession, BeginRequest, Conversation, FoundReply } from "./kept-reply";
import type { KeptAnswerStore } from "./kept-answers.store.server";
import { OpenReply } from "./open-reply.server";

export const writerGoneText = "The answer broke off: the server that wrote it has ended. Ask again.";

const endingEvents = [
  { type: "error", errorText: writerGoneText },
  { type: "finish", messageMetadata: { finishReason: "error" } },
].map(toEventJson);

/** How long a stop or a shutdown waits for endings to be stored. */
const endingWait = () => delay(2_000, undefined, { ref: false });

/** A stopped question may arrive this late. */
const onItsWayMs = 60_000;

const retryLater = { "Retry-After": "5" };

export type KeptRepliesOptions = {
  store: KeptAnswerStore;
  leaseMs: number;
  /** How long a reply is kept after its end. */
  keptForMs: number;
  maxOpen: number;
  /** Settles the reservation with the reply's ID. Idempotent. */
  settle: (usage: { reservationId: string; usedTokens: number }) => Promise<unknown>;
  shutdownSignal: AbortSignal;
  clock: Clock;
  log: Log;
};

export type KeptReplies = ReturnType<typeof createKeptReplies>;

export type ReplyOwner = Conversation & Pick<BeginRequest, "openFor" | "proofHash">;
type Begun = ReplyOwner & { replyId: string };

/** Replies that continue without readers, and can be resumed on any instance. */
export function createKeptReplies(options: KeptRepliesOptions) {
  const { store, leaseMs, keptForMs, shutdownSignal, clock, log } = options;
  const writtenHere = new Map<string, OpenReply>();
  setMaxListeners(0, shutdownSignal);
  const expiresAtMs = () => clock() + keptForMs;
  const { conclude, settleLost, settleEnded } = createSettling(options, expiresAtMs);
  const lookForStops = createStopLook(store, writtenHere);
  const read = createSharedRead(store, shutdownSignal);

  /** Concludes abandoned replies, and settles those that failed to settle before. */
  async function concludeAbandoned(): Promise<void> {
    for (const replyId of await store.listAbandoned()) {
      await conclude(replyId).catch((err: unknown) =>
        log.warn({ err, replyId }, "concluding a reply failed"),
      );
    }
    await settleEnded();
  }

  return {
    prepare(owner: ReplyOwner, replyId: string = randomUUID()): OpenReply {
      return new OpenReply({
        replyId,
        store,
        leaseMs,
        expiresAtMs,
        take: () => take({ replyId, ...owner }, options, conclude),
        discard: () => discard({ replyId, ...owner }, options),
        settleLost: () => settleLost(replyId),
        onOpen(reply) {
          writtenHere.set(replyId, reply);
          void lookForStops();
        },
        onClose: (reply) => void (writtenHere.get(replyId) === reply && writtenHere.delete(replyId)),
        log,
      });
    },
    find: store.find,
    /** The first reader's. They are stored a moment after the reply began. */
    async headersOf(found: FoundReply, conversation: Conversation): Promise<ReplyHeaders> {
      let latest: FoundReply | null = found;
      for (let looks = 0; latest?.replyId === found.replyId; looks += 1) {
        const headers = writtenHere.get(found.replyId)?.headers ?? latest.headers;
        const mayCome = latest.hasWriter && latest.lastId === 0 && looks < 10;
        if (headers !== null || !mayCome) return headers ?? {};
        await delay(lookEveryMs);
        latest = await store.find(conversation);
      }
      return {};
    },
    read({ replyId }: Pick<FoundReply, "replyId">, afterId: number): ReplyReader {
      const feed = writtenHere.get(replyId)?.feed ?? null;
      const patienceMs = 2 * leaseMs;
      return new ReplyReader({ ...options, replyId, feed, afterId, read, conclude, patienceMs });
    },
    /**
     * Resolves when the reply has ended, if this process writes it. Other processes find the request in the store. A reply
     * with this name can't begin any more.
     */
    async stop(conversation: Conversation, name?: string): Promise<void> {
      if (name !== undefined) await store.takeName(name, clock() + onItsWayMs);
      const replyId = await store.askToStop(conversation, name);
      const here = replyId === null ? undefined : writtenHere.get(replyId);
      here?.stop();
      await Promise.race([here?.done, endingWait()]);
    },
    async stopSession(session: ReplySession): Promise<void> {
      for (const replyId of await store.askToStopSession(session)) writtenHere.get(replyId)?.stop();
    },
    /** Concludes replies even if nobody reads them. Several processes may do so. */
    async concludeRegularly(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const wait = delay(leaseMs / 3, undefined, { ref: false, signal });
        await wait.then(concludeAbandoned).catch((err: unknown) => {
          if (!signal.aborted) log.warn({ err }, "concluding replies failed");
        });
      }
    },
    concludeAbandoned,
    /** Resolves when the replies written here have ended. */
    async drain(): Promise<void> {
      const ended = Promise.all([...writtenHere.values()].map(({ done }) => done));
      if (!shutdownSignal.aborted) await Promise.race([ended, once(shutdownSignal, "abort")]);
      await Promise.race([ended, endingWait()]);
    },
  };
}

function discard(reply: Begun, { store, log }: KeptRepliesOptions): Promise<void> {
  const onFailure = (err: unknown) => log.warn({ err }, "discarding a reply that never began failed");
  return store.discard(reply).catch(onFailure);
}

/** Takes the conversation. Returns when the lease was requested. */
async function take(
  reply: Begun,
  options: KeptRepliesOptions,
  conclude: (replyId: string) => Promise<void>,
): Promise<number> {
  const { store, leaseMs, maxOpen } = options;
  for (;;) {
    const askedAtMs = performance.now();
    const result = await store.begin({ ...reply, maxOpen, leaseMs }).catch(async (error: unknown) => {
      // The insert may have happened.
      await Promise.race([discard(reply, options), endingWait()]);
      throw error;
    });
    if (result.outcome === "begun") return askedAtMs;
    if (result.outcome === "abandoned") await conclude(result.replyId);
    else if (result.outcome === "too-many") throw new Refusal("too-many-answers", { headers: retryLater });
    else if (result.outcome === "name-taken") throw new Refusal("reply-id-taken");
    else throw new Refusal("answer-under-way", { members: { replyId: result.replyId }, headers: retryLater });
  }
}

/** Polls for stops that other instances received, while replies are written here. */
function createStopLook(store: KeptAnswerStore, writtenHere: ReadonlyMap<string, OpenReply>) {
  let isLooking = false;
  return async (): Promise<void> => {
    if (isLooking) return;
    for (isLooking = true; writtenHere.size > 0;) {
      await delay(lookEveryMs, undefined, { ref: false });
      // Appends report an unreachable store.
      const asked = await store.listAskedToStop([...writtenHere.keys()]).catch(() => []);
      for (const replyId of asked) writtenHere.get(replyId)?.stop();
    }
    isLooking = false;
  };
}

/** Settles replies that their writers didn't. */
function createSettling({ store, settle, log }: KeptRepliesOptions, expiresAtMs: () => number) {
  /** The store's confirmation may have been lost. */
  const unsettled = new Set<string>();

  /** Only those that have ended. The process that ends a reply settles it. */
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
        log.warn({ err, replyId }, "settling a reply failed");
      }
    }
  }

  const concluding = new Map<string, Promise<void>>();
  async function concludeOnce(replyId: string): Promise<void> {
    unsettled.add(replyId);
    if (await store.conclude({ replyId, endingEvents, expiresAtMs: expiresAtMs() }))
      log.warn({ replyId }, "reply concluded: its writer is gone");
    await settleEnded();
  }

  return {
    settleEnded,
    /** Ends an abandoned reply, and settles what was stored. Concurrent callers share one run. */
    conclude(replyId: string): Promise<void> {
      const ending =
        concluding.get(replyId) ?? concludeOnce(replyId).finally(() => concluding.delete(replyId));
      concluding.set(replyId, ending);
      return ending;
    },
    /** The writer may have ended the reply although its lease is lost. */
    async settleLost(replyId: string): Promise<void> {
      unsettled.add(replyId);
      await settleEnded();
    },
  };
}
