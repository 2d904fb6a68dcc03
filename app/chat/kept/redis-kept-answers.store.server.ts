import type { Clock } from "~/platform/clock";
import type { Redis } from "~/platform/redis/redis.server";
import type {
  AnswerHeaders,
  AnswerState,
  AppendOutcome,
  AppendRequest,
  BeginOutcome,
  KeptAnswerStore,
  KeptEvent,
  KeptPart,
} from "./kept-answer-store.server";
import {
  appendScript,
  askToStopScript,
  askToStopSessionScript,
  beginScript,
  concludeScript,
  discardScript,
  findScript,
  findUsagesScript,
  keptKeys,
  keptKeyStart,
  listAbandonedScript,
  readScript,
} from "./redis-kept-answer-scripts.server";
import { splitIntoPieces } from "./pieces.server";

/** A crash leaves few answers; more than these wait for the next look. */
const abandonedBatch = 200;
/** Keys outlive their answer by this, so that Redis' clock, which may be ahead of ours, deletes none too early. */
const keepMs = 30_000;
/** Longer than any answer takes, for one that nobody is left to conclude. */
const longestMs = 2 * 86_400_000;

/** Kept answers of several instances, in Redis. The contract is documented in kept-answer-store.server.ts. */
export function createRedisKeptAnswerStore(redis: Redis, clock: Clock): KeptAnswerStore {
  const keptForMs = (expiresAtMs: number) => Math.max(0, expiresAtMs - clock()) + keepMs;

  async function append(request: AppendRequest): Promise<AppendOutcome> {
    const { replyId, leaseMs, firstId, usedTokens, headers, ending } = request;
    const answer = await redis.run({
      script: appendScript,
      keys: [keptKeys.answer(replyId), keptKeys.events(replyId), keptKeys.underWay],
      parameters: [
        ...[replyId, leaseMs, longestMs, firstId, usedTokens, headers ? JSON.stringify(headers) : ""],
        ...(ending ? [ending.endingId, ending.expiresAtMs, keptForMs(ending.expiresAtMs)] : ["", "", ""]),
        ...splitIntoPieces(request).flatMap((piece) => [piece.firstId, piece.lastId, piece.text]),
      ],
    });
    const [lastId, isStopAsked] = answer as [number, string] | [];
    return lastId === undefined
      ? { outcome: "lost" }
      : { outcome: "held", lastId, isStopAsked: isStopAsked === "1" };
  }

  return {
    async begin({ replyId, openFor, proofHash, maxOpen, leaseMs, ...conversation }, alongside) {
      const answer = await redis.run({
        script: beginScript,
        keys: [
          keptKeys.conversation(conversation),
          keptKeys.answer(replyId),
          keptKeys.open(openFor),
          keptKeys.underWay,
          keptKeyStart,
        ],
        parameters: [replyId, maxOpen, leaseMs, longestMs, proofHash ?? ""],
      });
      const outcome = toBeginOutcome(answer as [BeginOutcome["outcome"], string?]);
      if (outcome.outcome === "begun") await alongside?.(null);
      return outcome;
    },

    async discard(replyId) {
      const keys = [keptKeys.answer(replyId), keptKeys.events(replyId), keptKeys.underWay, keptKeyStart];
      await redis.run({ script: discardScript, keys, parameters: [replyId] });
    },

    append: (requests) =>
      Promise.all(
        requests.map((request) =>
          append(request).catch((err: unknown) => ({ outcome: "unknown" as const, err })),
        ),
      ),

    async askToStop(conversation) {
      const keys = [keptKeys.conversation(conversation), keptKeyStart];
      const replyId = (await redis.run({ script: askToStopScript, keys })) as string;
      return replyId === "" ? null : replyId;
    },

    async askToStopSession({ owner, openFor, proofHash }) {
      const ofOwner = keptKeys.conversation({ owner, conversationId: "" });
      const keys = [keptKeys.open(openFor), keptKeyStart, ofOwner];
      return (await redis.run({ script: askToStopSessionScript, keys, parameters: [proofHash] })) as string[];
    },

    async conclude({ replyId, endingEvents, expiresAtMs }) {
      const answer = await redis.run({
        script: concludeScript,
        keys: [keptKeys.answer(replyId), keptKeys.events(replyId), keptKeys.underWay],
        parameters: [
          ...[replyId, expiresAtMs, keptForMs(expiresAtMs)],
          ...[endingEvents.length, endingEvents.join("\n")],
        ],
      });
      return answer === -1 ? null : { usedTokens: Number(answer) };
    },

    ...createReads(redis, clock),
  };
}

type Reads = Pick<KeptAnswerStore, "find" | "read" | "listAbandoned" | "findUsages">;

function createReads(redis: Redis, clock: Clock): Reads {
  return {
    async find(conversation) {
      const keys = [keptKeys.conversation(conversation), keptKeyStart];
      const answer = await redis.run({ script: findScript, keys, parameters: [clock()] });
      const [replyId, headers, ...state] = answer as [string, string, ...StateReply] | [];
      if (replyId === undefined) return null;
      const given = headers ? (JSON.parse(headers) as AnswerHeaders) : null;
      return { replyId, headers: given, ...toState(state as StateReply) };
    },

    async read({ replyId, afterId, maxBytes }): Promise<KeptPart | null> {
      const keys = [keptKeys.answer(replyId), keptKeys.events(replyId)];
      const answer = await redis.run({ script: readScript, keys, parameters: [clock(), afterId, maxBytes] });
      const [lastId, ...rest] = answer as [...StateReply, ...string[]] | [];
      if (lastId === undefined) return null;
      const [hasWriter, endingId, isBroken, ...pieces] = rest as [number, string, string, ...string[]];
      return {
        ...toState([lastId, hasWriter, endingId, isBroken]),
        events: toEvents(pieces).filter(({ id }) => id > afterId),
      };
    },

    async listAbandoned() {
      const keys = [keptKeys.underWay];
      return (await redis.run({
        script: listAbandonedScript,
        keys,
        parameters: [abandonedBatch],
      })) as string[];
    },

    async findUsages(replyIds) {
      const answer = await redis.run({
        script: findUsagesScript,
        keys: [keptKeyStart],
        parameters: [...replyIds],
      });
      const flat = answer as [string, string, number][number][];
      return new Map(
        Array.from({ length: flat.length / 3 }, (_, index) => {
          const [replyId, usedTokens, isUnderWay] = flat.slice(3 * index, 3 * index + 3);
          return [String(replyId), { usedTokens: Number(usedTokens), isUnderWay: isUnderWay === 1 }];
        }),
      );
    },
  };
}

function toBeginOutcome([outcome, replyId = ""]: [BeginOutcome["outcome"], string?]): BeginOutcome {
  return outcome === "begun" || outcome === "too-many" ? { outcome } : { outcome, replyId };
}

/** lastId, whether the lease is held, endingId, whether it is broken. */
type StateReply = [number, number, string, string];

function toState([lastId, hasWriter, endingId, isBroken]: StateReply): AnswerState {
  const ending = endingId === "" ? null : { endingId: Number(endingId), isBroken: isBroken === "1" };
  return { lastId, hasWriter: hasWriter === 1, ending };
}

/** Of each piece the id of its first event, then its text. */
function toEvents(pieces: readonly string[]): KeptEvent[] {
  return pieces.flatMap((text, index) => {
    if (index % 2 === 0) return [];
    const firstId = Number(pieces[index - 1]);
    return text.split("\n").map((json, offset) => ({ id: firstId + offset, json }));
  });
}
