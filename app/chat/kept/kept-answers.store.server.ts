import { join, sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import type { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/clock";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";
import type {
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
} from "./kept-answer-store";
import { splitIntoPieces } from "./pieces.server";
import type { Piece } from "./pieces.server";

type Transaction = Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw">;

/** More than these wait for the next look. */
const abandonedBatch = 100;

type Figure = number | bigint;
type StateRow = {
  id: string;
  lastId: Figure;
  hasWriter: unknown;
  endingId: Figure | null;
  concludedAtMs: Figure | null;
};

type Terms = ReturnType<typeof createTerms>;

/** The contract is documented in kept-answer-store.ts. */
export function createKeptAnswerStore(database: Database, clock: Clock): KeptAnswerStore {
  const terms = createTerms(database);
  return {
    ...createBeginning(database, terms),
    ...createWriting(database, terms),
    ...createConcluding(database, terms),
    ...createReading(database, clock, terms),
  };
}

function createTerms(database: Database) {
  const now = databaseNowMs(database);
  const isHeld = sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" > ${now}`;
  const isAbandoned = sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" <= ${now}`;
  const state = sql`"id", "lastId", ${isHeld} AS "hasWriter", "endingId", "concludedAtMs"`;
  /** One row for each element, in a column `value`, so that the statement is the same for any number of them. */
  const rowsOf = (elements: unknown): Sql =>
    isSqlite(database)
      ? sql`json_each(${JSON.stringify(elements)}) AS given`
      : sql`jsonb_array_elements(${JSON.stringify(elements)}::jsonb) AS given("value")`;
  return { now, isHeld, isAbandoned, state, rowsOf };
}

function createBeginning(database: Database, { now, isHeld, state }: Terms) {
  /** Whoever counts for the same is admitted one after the other; on SQLite all transactions that write are. */
  async function lockOpenFor(transaction: Transaction, openFor: string): Promise<void> {
    if (isSqlite(database)) return;
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`answers of ${openFor}`}, 0))`;
  }

  async function beginLocked(transaction: Transaction, request: BeginRequest): Promise<BeginOutcome> {
    const { owner, conversationId, replyId, openFor, maxOpen, leaseMs } = request;
    await lockOpenFor(transaction, openFor);
    for (;;) {
      const [last] = await transaction.$queryRaw<(StateRow & { expiresAtMs: Figure | null })[]>`
        SELECT ${state}, "expiresAtMs" FROM "KeptAnswer"
        WHERE "owner" = ${owner} AND "conversationId" = ${conversationId}`;
      if (last && last.expiresAtMs === null) {
        return { outcome: last.hasWriter ? "under-way" : "abandoned", replyId: last.id };
      }
      const [open] = await transaction.$queryRaw<{ count: Figure }[]>`
        SELECT COUNT(*) AS "count" FROM "KeptAnswer" WHERE "openFor" = ${openFor} AND ${isHeld}`;
      if (Number(open?.count) >= maxOpen) return { outcome: "too-many" };
      if (last) {
        await transaction.$executeRaw`
          UPDATE "KeptAnswer" SET "conversationId" = NULL WHERE "id" = ${last.id} AND "expiresAtMs" IS NOT NULL`;
      }
      const begun = await transaction.$executeRaw`
        INSERT INTO "KeptAnswer" ("id", "owner", "conversationId", "openFor", "leaseExpiresAtMs")
        VALUES (${replyId}, ${owner}, ${conversationId}, ${openFor}, ${now} + ${BigInt(leaseMs)})
        ON CONFLICT ("owner", "conversationId") DO NOTHING`;
      // Otherwise another stranger has begun one in it meanwhile.
      if (begun === 1) return { outcome: "begun" };
    }
  }

  return {
    begin: (request: BeginRequest) =>
      database.$transaction((transaction) => beginLocked(transaction, request)),

    async discard(replyId: string): Promise<void> {
      await database.$executeRaw`
        DELETE FROM "KeptAnswer" WHERE "id" = ${replyId} AND "lastId" = 0 AND "expiresAtMs" IS NULL`;
    },
  };
}

function createWriting(database: Database, { now, isHeld, rowsOf }: Terms) {
  async function appendAll(
    transaction: Transaction,
    requests: readonly AppendRequest[],
  ): Promise<AppendOutcome[]> {
    const given = requests.map(({ replyId, leaseMs, firstId, events, usedTokens, ending }) => {
      return {
        replyId,
        leaseMs,
        before: firstId - 1,
        after: lastIdOf({ firstId, events }),
        usedTokens,
        ...ending,
      };
    });
    const goesOn = sql`answer."lastId" = CAST("value" ->> 'before' AS INTEGER)`;
    const rows = await transaction.$queryRaw<{ id: string; lastId: Figure; stopAskedAtMs: Figure | null }[]>`
      UPDATE "KeptAnswer" AS answer SET
        "leaseExpiresAtMs" = ${now} + CAST("value" ->> 'leaseMs' AS BIGINT),
        "lastId" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'after' AS INTEGER) ELSE "lastId" END,
        "usedTokens" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'usedTokens' AS INTEGER) ELSE "usedTokens" END,
        "endingId" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'endingId' AS INTEGER) END,
        "expiresAtMs" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'expiresAtMs' AS BIGINT) END
      FROM ${rowsOf(given)}
      WHERE answer."id" = "value" ->> 'replyId' AND ${isHeld}
      RETURNING "id", "lastId", "stopAskedAtMs"`;
    const held = new Map(rows.map((row) => [row.id, row]));
    const appended = requests.filter(
      (request) => Number(held.get(request.replyId)?.lastId) === lastIdOf(request),
    );
    await insertPieces(transaction, appended.flatMap(splitIntoPieces), rowsOf);
    return requests.map(({ replyId }) => {
      const row = held.get(replyId);
      if (row === undefined) return { outcome: "lost" };
      return { outcome: "held", lastId: Number(row.lastId), isStopAsked: row.stopAskedAtMs !== null };
    });
  }

  return {
    append: (requests: readonly AppendRequest[]) =>
      database.$transaction((transaction) => appendAll(transaction, requests)),

    async askToStop({ owner, conversationId }: Conversation): Promise<string | null> {
      const [row] = await database.$queryRaw<{ id: string }[]>`
        UPDATE "KeptAnswer" SET "stopAskedAtMs" = ${now}
        WHERE "owner" = ${owner} AND "conversationId" = ${conversationId} AND ${isHeld}
        RETURNING "id"`;
      return row?.id ?? null;
    },
  };
}

function createConcluding(database: Database, { now, isAbandoned, rowsOf }: Terms) {
  return {
    conclude: ({ replyId, endingEvents, expiresAtMs }: ConcludeRequest) =>
      database.$transaction(async (transaction) => {
        const [row] = await transaction.$queryRaw<{ lastId: Figure; usedTokens: Figure }[]>`
          UPDATE "KeptAnswer" SET "endingId" = "lastId" + 1, "lastId" = "lastId" + ${endingEvents.length},
            "concludedAtMs" = ${now}, "expiresAtMs" = ${BigInt(expiresAtMs)}
          WHERE "id" = ${replyId} AND ${isAbandoned}
          RETURNING "lastId", "usedTokens"`;
        if (row === undefined) return null;
        const firstId = Number(row.lastId) - endingEvents.length + 1;
        const pieces = splitIntoPieces({ replyId, firstId, events: endingEvents });
        await insertPieces(transaction, pieces, rowsOf);
        return { usedTokens: Number(row.usedTokens) };
      }),

    async listAbandoned(): Promise<string[]> {
      const rows = await database.$queryRaw<{ id: string }[]>`
        SELECT "id" FROM "KeptAnswer" WHERE ${isAbandoned} LIMIT ${abandonedBatch}`;
      return rows.map(({ id }) => id);
    },

    async findUsages(replyIds: readonly string[]): Promise<Map<string, AnswerUsage>> {
      if (replyIds.length === 0) return new Map();
      const rows = await database.$queryRaw<{ id: string; usedTokens: Figure; expiresAtMs: Figure | null }[]>`
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

function createReading(database: Database, clock: Clock, { state }: Terms) {
  /** From the piece that holds the first event wanted. */
  async function readEvents(
    { replyId, afterId, maxBytes }: ReadRequest,
    lastId: number,
  ): Promise<KeptEvent[]> {
    const pieces = await database.$queryRaw<{ firstId: Figure; text: string }[]>`
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
      const [row] = await database.$queryRaw<StateRow[]>`
        SELECT ${state} FROM "KeptAnswer"
        WHERE "owner" = ${owner} AND "conversationId" = ${conversationId}
          AND ("expiresAtMs" IS NULL OR "expiresAtMs" > ${BigInt(clock())})`;
      return row ? { replyId: row.id, ...toState(row) } : null;
    },

    async read(request: ReadRequest): Promise<KeptPart | null> {
      const [row] = await database.$queryRaw<StateRow[]>`
        SELECT ${state} FROM "KeptAnswer" WHERE "id" = ${request.replyId}`;
      if (row === undefined) return null;
      const found = toState(row);
      const hasMore = found.lastId > request.afterId;
      return { ...found, events: hasMore ? await readEvents(request, found.lastId) : [] };
    },
  };
}

async function insertPieces(
  transaction: Transaction,
  pieces: readonly Piece[],
  rowsOf: Terms["rowsOf"],
): Promise<void> {
  if (pieces.length === 0) return;
  await transaction.$executeRaw`
    INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
    SELECT "value" ->> 'replyId', CAST("value" ->> 'firstId' AS INTEGER),
      CAST("value" ->> 'lastId' AS INTEGER), CAST("value" ->> 'bytes' AS INTEGER), "value" ->> 'text'
    FROM ${rowsOf(pieces)} WHERE 1 = 1
    ON CONFLICT ("answerId", "firstId") DO NOTHING`;
}

function lastIdOf({ firstId, events }: Pick<AppendRequest, "firstId" | "events">): number {
  return firstId - 1 + events.length;
}

function toState({ lastId, hasWriter, endingId, concludedAtMs }: StateRow): AnswerState {
  return {
    lastId: Number(lastId),
    hasWriter: Boolean(hasWriter),
    ending: endingId === null ? null : { endingId: Number(endingId), isBroken: concludedAtMs !== null },
  };
}
