import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";
import type { Figure } from "~/platform/database/direct-statements.server";
import type {
  AnswerHeaders,
  AnswerSession,
  AnswerState,
  AppendOutcome,
  AnswerUsage,
  AppendRequest,
  ConcludeRequest,
  Conversation,
  FoundAnswer,
  KeptAnswerStore,
  KeptEvent,
  KeptPart,
  ReadRequest,
} from "./kept-answer-store.server";
import { createBeginning } from "./kept-answer-beginnings.store.server";
import { appendFor, answerTerms } from "./kept-answer-appends.store.server";
import type { Terms } from "./kept-answer-appends.store.server";

/** More than these wait for the next look. */
const abandonedBatch = 100;

type StateRow = {
  id: string;
  lastId: Figure;
  hasWriter: unknown;
  endingId: Figure | null;
  concludedAtMs: Figure | null;
  expiresAtMs: Figure | null;
};

type Piece = { firstId: Figure; text: string };

/** The contract is documented in kept-answer-store.server.ts. */
export function createKeptAnswerStore(database: Database, clock: Clock): KeptAnswerStore {
  const terms = answerTerms(database);
  return {
    ...createBeginning(terms),
    ...createWriting(terms),
    ...createConcluding(terms),
    ...createReading(clock, terms),
  };
}

function createWriting(terms: Terms) {
  const { statements, now, isHeld } = terms;
  const { query } = statements;
  const appendAll = appendFor(terms);

  return {
    async append(requests: readonly AppendRequest[]): Promise<AppendOutcome[]> {
      const held = new Map((await appendAll(requests)).map((row) => [row.id, row]));
      return requests.map(({ replyId }) => {
        const row = held.get(replyId);
        if (row === undefined) return { outcome: "lost" };
        return { outcome: "held", lastId: Number(row.lastId), isStopAsked: row.stopAskedAtMs !== null };
      });
    },

    async askToStop({ owner, conversationId }: Conversation): Promise<string | null> {
      const [row] = await query<{ id: string }>`
        UPDATE "KeptAnswer" SET "stopAskedAtMs" = ${now}
        WHERE "conversationId" = ${conversationId} AND "owner" = ${owner} AND ${isHeld}
        RETURNING "id"`;
      return row?.id ?? null;
    },

    async askToStopSession({ owner, openFor, proofHash }: AnswerSession): Promise<string[]> {
      const rows = await query<{ id: string }>`
        UPDATE "KeptAnswer" SET "stopAskedAtMs" = ${now}
        WHERE "openFor" = ${openFor} AND "owner" = ${owner} AND "proofHash" = ${proofHash} AND ${isHeld}
        RETURNING "id"`;
      return rows.map(({ id }) => id);
    },
  };
}

function createConcluding({ database, statements, now, isAbandoned }: Terms) {
  const { query } = statements;
  return {
    async conclude({ replyId, endingEvents, expiresAtMs }: ConcludeRequest) {
      const [row] = await query<{ usedTokens: Figure }>`
        UPDATE "KeptAnswer" SET "endingId" = "lastId" + 1, "lastId" = "lastId" + ${endingEvents.length},
          "lastPieceFirstId" = "lastId" + 1, "lastPiece" = ${endingEvents.join("\n")},
          "concludedAtMs" = ${now}, "expiresAtMs" = ${BigInt(expiresAtMs)}
        WHERE "id" = ${replyId} AND ${isAbandoned}
        RETURNING "usedTokens"`;
      return row === undefined ? null : { usedTokens: Number(row.usedTokens) };
    },

    async listAbandoned(): Promise<string[]> {
      const rows = await query<{ id: string }>`
        SELECT "id" FROM "KeptAnswer" WHERE "openFor" >= '' AND ${isAbandoned} LIMIT ${abandonedBatch}`;
      return rows.map(({ id }) => id);
    },

    async findUsages(replyIds: readonly string[]): Promise<Map<string, AnswerUsage>> {
      if (replyIds.length === 0) return new Map();
      const rows = await database.keptAnswer.findMany({
        where: { id: { in: [...replyIds] } },
        select: { id: true, usedTokens: true, expiresAtMs: true },
      });
      return new Map(
        rows.map((row) => [row.id, { usedTokens: row.usedTokens, isUnderWay: row.expiresAtMs === null }]),
      );
    },
  };
}

/** Those under way and those that have ended have an index each. */
export function findNewest({ state }: Terms, { owner, conversationId }: Conversation): Sql {
  const found = sql`
    SELECT ${state}, "headers", "leaseExpiresAtMs" FROM "KeptAnswer"
    WHERE "conversationId" = ${conversationId} AND "owner" = ${owner}`;
  return sql`
    SELECT * FROM (
      ${found} AND "expiresAtMs" IS NULL UNION ALL ${found} AND "expiresAtMs" IS NOT NULL
    ) AS "each" ORDER BY "expiresAtMs" IS NOT NULL, "leaseExpiresAtMs" DESC LIMIT 1`;
}

function createReading(clock: Clock, terms: Terms) {
  const { statements, state } = terms;
  const { query } = statements;
  /**
   * From the piece that holds the first event wanted. Pieces that are not below `endId`, where the last one begins, did not
   * become part of the answer.
   */
  async function readPieces({ replyId, afterId, maxBytes }: ReadRequest, endId: number): Promise<Piece[]> {
    const isWanted = sql`"answerId" = ${replyId} AND "lastId" > ${afterId} AND "firstId" < ${endId}`;
    const pieces = await query<Piece>`
      SELECT "firstId", "text" FROM (
        SELECT "firstId", "text", SUM("bytes") OVER (ORDER BY "firstId") - "bytes" AS "bytesBefore"
        FROM "KeptPiece" WHERE ${isWanted}
      ) AS piece
      WHERE "bytesBefore" < ${maxBytes}
      UNION ALL
      SELECT "lastPieceFirstId", "lastPiece" FROM "KeptAnswer"
      WHERE "id" = ${replyId} AND "lastPieceFirstId" = ${endId}
        AND ${maxBytes} > (SELECT COALESCE(SUM("bytes"), 0) FROM "KeptPiece" WHERE ${isWanted})`;
    return pieces.sort((a, b) => Number(a.firstId) - Number(b.firstId));
  }

  return {
    async find({ owner, conversationId }: Conversation): Promise<FoundAnswer | null> {
      const newest = findNewest(terms, { owner, conversationId });
      const [row] = await query<StateRow & { headers: string | null }>`${newest}`;
      const hasExpired = row && row.expiresAtMs !== null && Number(row.expiresAtMs) <= clock();
      if (!row || hasExpired) return null;
      const headers = row.headers === null ? null : (JSON.parse(row.headers) as AnswerHeaders);
      return { replyId: row.id, headers, ...toState(row) };
    },

    async read(request: ReadRequest): Promise<KeptPart | null> {
      const { replyId, afterId } = request;
      const [row] = await query<StateRow & { lastPieceFirstId: Figure | null }>`
        SELECT ${state}, "lastPieceFirstId" FROM "KeptAnswer" WHERE "id" = ${replyId}`;
      if (row === undefined) return null;
      const found = toState(row);
      const { lastId } = found;
      if (lastId <= afterId) return { ...found, events: [] };
      const pieces = await readPieces(request, Number(row.lastPieceFirstId ?? lastId + 1));
      const events = pieces.flatMap(eventsOf).filter(({ id }) => id > afterId && id <= lastId);
      // Pieces are deleted before their answer. What follows a gap is not what was asked for.
      return { ...found, events: events.filter(({ id }, index) => id === afterId + 1 + index) };
    },
  };
}

function eventsOf({ firstId, text }: Piece): KeptEvent[] {
  return text.split("\n").map((json, index) => ({ id: Number(firstId) + index, json }));
}

function toState({ lastId, hasWriter, endingId, concludedAtMs }: StateRow): AnswerState {
  return {
    lastId: Number(lastId),
    hasWriter: Boolean(hasWriter),
    ending: endingId === null ? null : { endingId: Number(endingId), isBroken: concludedAtMs !== null },
  };
}
