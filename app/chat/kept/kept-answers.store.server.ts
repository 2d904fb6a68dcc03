import { join } from "@prisma/client/runtime/client";
import type { Clock } from "~/platform/clock";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import type { Figure, Statements } from "~/platform/database/direct-statements.server";
import { createSharedTransactions } from "~/platform/database/shared-transactions.server";
import type {
  Alongside,
  AnswerHeaders,
  AnswerSession,
  AnswerState,
  AppendOutcome,
  AnswerUsage,
  AppendRequest,
  BeginOutcome,
  BeginRequest,
  ConcludeRequest,
  Conversation,
  FoundAnswer,
  KeptAnswerStore,
  KeptEvent,
  KeptPart,
  ReadRequest,
} from "./kept-answer-store.server";
import { appendFor, answerTerms, insertPieces } from "./kept-answer-appends.store.server";
import type { Terms } from "./kept-answer-appends.store.server";
import { splitIntoPieces } from "./pieces.server";

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

function createBeginning({ database, statements: alone, now, isHeld, isAbandoned }: Terms) {
  const transact = createSharedTransactions(database);
  const { query, execute } = alone;
  type Refused = Exclude<BeginOutcome, { outcome: "begun" }>;

  /** Whoever counts for the same is admitted one after the other; on SQLite every statement that writes is. */
  async function lockOpenFor(statements: Statements, openFor: string): Promise<void> {
    if (isSqlite(database)) return;
    await statements.execute`SELECT pg_advisory_xact_lock(hashtextextended(${`answers of ${openFor}`}, 0))`;
  }

  /** Whether it has begun. */
  async function insert(statements: Statements, request: BeginRequest): Promise<boolean> {
    const { owner, conversationId, replyId, openFor, proofHash, maxOpen, leaseMs } = request;
    const inserted = await statements.execute`
      INSERT INTO "KeptAnswer"
        ("id", "owner", "conversationId", "openConversation", "openFor", "proofHash", "leaseExpiresAtMs")
      SELECT ${replyId}, ${owner}, ${conversationId}, ${toOpenConversation(request)}, ${openFor}, ${proofHash}, ${now} + ${BigInt(leaseMs)}
      WHERE (SELECT COUNT(*) FROM "KeptAnswer" WHERE "openFor" = ${openFor} AND ${isHeld}) < ${maxOpen}
      ON CONFLICT ("openConversation") DO NOTHING`;
    return inserted === 1;
  }

  async function insertLocked(request: BeginRequest, alongside?: Alongside): Promise<boolean> {
    if (!alongside && isSqlite(database)) return await insert(alone, request);
    return await transact(async (transaction) => {
      await lockOpenFor(transaction, request.openFor);
      const hasBegun = await insert(transaction, request);
      if (hasBegun) await alongside?.(transaction);
      return hasBegun;
    });
  }

  /** Why it has not begun. Null where that is no reason any more. */
  async function findReason(request: BeginRequest): Promise<Refused | null> {
    const { openFor, maxOpen } = request;
    const [open] = await query<{ id: string; isAbandoned: unknown }>`
      SELECT "id", ${isAbandoned} AS "isAbandoned" FROM "KeptAnswer"
      WHERE "openConversation" = ${toOpenConversation(request)}`;
    if (open) return { outcome: open.isAbandoned ? "abandoned" : "under-way", replyId: open.id };
    const [held] = await query<{ count: Figure }>`
      SELECT COUNT(*) AS "count" FROM "KeptAnswer" WHERE "openFor" = ${openFor} AND ${isHeld}`;
    return Number(held?.count) >= maxOpen ? { outcome: "too-many" } : null;
  }

  return {
    async begin(request: BeginRequest, alongside?: Alongside): Promise<BeginOutcome> {
      for (;;) {
        if (await insertLocked(request, alongside)) return { outcome: "begun" };
        const reason = await findReason(request);
        if (reason !== null) return reason;
      }
    },

    async discard(replyId: string): Promise<void> {
      await execute`
        DELETE FROM "KeptAnswer" WHERE "id" = ${replyId} AND "lastId" = 0 AND "expiresAtMs" IS NULL`;
    },
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

    async askToStop(conversation: Conversation): Promise<string | null> {
      const [row] = await query<{ id: string }>`
        UPDATE "KeptAnswer" SET "stopAskedAtMs" = ${now}
        WHERE "openConversation" = ${toOpenConversation(conversation)} AND ${isHeld}
        RETURNING "id"`;
      return row?.id ?? null;
    },

    async askToStopSession({ openFor, proofHash }: AnswerSession): Promise<string[]> {
      const rows = await query<{ id: string }>`
        UPDATE "KeptAnswer" SET "stopAskedAtMs" = ${now}
        WHERE "openFor" = ${openFor} AND "proofHash" = ${proofHash} AND ${isHeld}
        RETURNING "id"`;
      return rows.map(({ id }) => id);
    },
  };
}

function createConcluding({ database, statements, now, isAbandoned }: Terms) {
  const transact = createSharedTransactions(database);
  const { query } = statements;
  return {
    conclude: ({ replyId, endingEvents, expiresAtMs }: ConcludeRequest) =>
      transact(async (transaction) => {
        const [row] = await transaction.query<{ lastId: Figure; usedTokens: Figure }>`
          UPDATE "KeptAnswer" SET "endingId" = "lastId" + 1, "openConversation" = NULL, "openFor" = NULL, "lastId" = "lastId" + ${endingEvents.length},
            "concludedAtMs" = ${now}, "expiresAtMs" = ${BigInt(expiresAtMs)}
          WHERE "id" = ${replyId} AND ${isAbandoned}
          RETURNING "lastId", "usedTokens"`;
        if (row === undefined) return null;
        const firstId = Number(row.lastId) - endingEvents.length + 1;
        // Stored by its writer, and not made part of the answer any more.
        await transaction.execute`
          DELETE FROM "KeptPiece" WHERE "answerId" = ${replyId} AND "firstId" >= ${firstId}`;
        const pieces = splitIntoPieces({ replyId, firstId, events: endingEvents });
        await insertPieces(transaction, pieces);
        return { usedTokens: Number(row.usedTokens) };
      }),

    async listAbandoned(): Promise<string[]> {
      const rows = await query<{ id: string }>`
        SELECT "id" FROM "KeptAnswer" WHERE "openFor" >= '' AND ${isAbandoned} LIMIT ${abandonedBatch}`;
      return rows.map(({ id }) => id);
    },

    async findUsages(replyIds: readonly string[]): Promise<Map<string, AnswerUsage>> {
      if (replyIds.length === 0) return new Map();
      const rows = await query<{ id: string; usedTokens: Figure; expiresAtMs: Figure | null }>`
        SELECT "id", "usedTokens", "expiresAtMs" FROM "KeptAnswer" WHERE "id" IN (${join([...replyIds])})`;
      return new Map(
        rows.map((row) => [
          row.id,
          { usedTokens: Number(row.usedTokens), isUnderWay: row.expiresAtMs === null },
        ]),
      );
    },
  };
}

function createReading(clock: Clock, { statements, state }: Terms) {
  const { query } = statements;
  /** From the piece that holds the first event wanted. */
  async function readEvents(
    { replyId, afterId, maxBytes }: ReadRequest,
    lastId: number,
  ): Promise<KeptEvent[]> {
    const pieces = await query<{ firstId: Figure; text: string }>`
      SELECT "firstId", "text" FROM (
        SELECT "firstId", "text", SUM("bytes") OVER (ORDER BY "firstId") - "bytes" AS "bytesBefore"
        FROM "KeptPiece" WHERE "answerId" = ${replyId} AND "lastId" > ${afterId}
      ) AS piece
      WHERE "bytesBefore" < ${maxBytes} ORDER BY "firstId"`;
    return pieces
      .flatMap(({ firstId, text }) =>
        text.split("\n").map((json, index) => ({ id: Number(firstId) + index, json })),
      )
      .filter(({ id }) => id > afterId && id <= lastId);
  }

  return {
    async find({ owner, conversationId }: Conversation): Promise<FoundAnswer | null> {
      const [row] = await query<StateRow & { headers: string | null }>`
        SELECT ${state}, "headers" FROM "KeptAnswer"
        WHERE "owner" = ${owner} AND "conversationId" = ${conversationId}
        ORDER BY "openConversation" IS NULL, "leaseExpiresAtMs" DESC LIMIT 1`;
      const hasExpired = row && row.expiresAtMs !== null && Number(row.expiresAtMs) <= clock();
      if (!row || hasExpired) return null;
      const headers = row.headers === null ? null : (JSON.parse(row.headers) as AnswerHeaders);
      return { replyId: row.id, headers, ...toState(row) };
    },

    async read(request: ReadRequest): Promise<KeptPart | null> {
      const [row] = await query<StateRow>`
        SELECT ${state} FROM "KeptAnswer" WHERE "id" = ${request.replyId}`;
      if (row === undefined) return null;
      const found = toState(row);
      const hasMore = found.lastId > request.afterId;
      return { ...found, events: hasMore ? await readEvents(request, found.lastId) : [] };
    },
  };
}

/** No conversation's id has a space. */
function toOpenConversation({ owner, conversationId }: Conversation): string {
  return `${owner} ${conversationId}`;
}

function toState({ lastId, hasWriter, endingId, concludedAtMs }: StateRow): AnswerState {
  return {
    lastId: Number(lastId),
    hasWriter: Boolean(hasWriter),
    ending: endingId === null ? null : { endingId: Number(endingId), isBroken: concludedAtMs !== null },
  };
}
