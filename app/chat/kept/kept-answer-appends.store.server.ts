import { empty, sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { directStatements } from "~/platform/database/direct-statements.server";
import type { Figure, Statements } from "~/platform/database/direct-statements.server";
import { createSharedTransactions } from "~/platform/database/shared-transactions.server";
import { givenRows } from "~/platform/database/given-rows.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";
import type { AppendRequest } from "./kept-answer-store.server";
import { splitIntoPieces } from "./pieces.server";
import type { Piece } from "./pieces.server";

export type Terms = ReturnType<typeof answerTerms>;

export const answerTerms = (database: Database) => {
  const now = databaseNowMs(database);
  const isHeld = sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" > ${now}`;
  const isAbandoned = sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" <= ${now}`;
  const state = sql`"id", "lastId", ${isHeld} AS "hasWriter", "endingId", "concludedAtMs", "expiresAtMs"`;
  return { database, statements: directStatements(database), now, isHeld, isAbandoned, state };
};

export type AppendedRow = { id: string; lastId: Figure; stopAskedAtMs: Figure | null };

/** Appends to several answers at once; gives back those whose lease is held. */
export const appendFor = (terms: Terms) =>
  isSqlite(terms.database) ? createSqliteAppend(terms) : createPostgresqlAppend(terms);

const appendColumns = {
  replyId: "TEXT",
  leaseMs: "INTEGER",
  before: "INTEGER",
  after: "INTEGER",
  usedTokens: "INTEGER",
  headers: "TEXT",
  endingId: "INTEGER",
  keptUntilMs: "BIGINT",
} as const;

/** `before` and `after`: the answer's last event without what is appended, and with it. */
const pieceColumns = {
  replyId: "TEXT",
  before: "INTEGER",
  after: "INTEGER",
  firstId: "INTEGER",
  lastId: "INTEGER",
  bytes: "INTEGER",
  text: "TEXT",
} as const;

/** Appends where the answer stands where it should; renews the lease in any case. */
export function updateAnswers(terms: Terms, requests: readonly AppendRequest[]): Sql {
  const { database, now, isHeld } = terms;
  const given = requests.map(({ replyId, leaseMs, usedTokens, headers, ending, ...events }) => ({
    replyId,
    leaseMs,
    ...boundsOf(events),
    usedTokens,
    headers: headers ? JSON.stringify(headers) : null,
    endingId: ending?.endingId ?? null,
    keptUntilMs: ending?.expiresAtMs ?? null,
  }));
  const goesOn = sql`answer."lastId" = given."before"`;
  // Only where there are some: SQLite takes a row out of every index that has a column of these, and puts it back.
  const endings = requests.some(({ ending }) => ending)
    ? sql`,
      "endingId" = CASE WHEN ${goesOn} THEN given."endingId" END,
      "expiresAtMs" = CASE WHEN ${goesOn} THEN given."keptUntilMs" END`
    : empty;
  return sql`
    UPDATE "KeptAnswer" AS answer SET
      "leaseExpiresAtMs" = ${now} + given."leaseMs",
      "lastId" = CASE WHEN ${goesOn} THEN given."after" ELSE answer."lastId" END,
      "usedTokens" = CASE WHEN ${goesOn} THEN given."usedTokens" ELSE answer."usedTokens" END,
      "headers" = COALESCE(given."headers", answer."headers")${endings}
    FROM ${givenRows(database, appendColumns, given)}
    WHERE answer."id" = given."replyId" AND ${isHeld}
    RETURNING "id", "lastId", "stopAskedAtMs"`;
}

/** SQLite takes 32,766 values in a statement. */
const maxSqliteRequests = 1024;

/**
 * The piece is stored by the first statement, and becomes part of the answer by the second, which alone decides. Only
 * with endings are they a transaction, which waits for the disk.
 */
function createSqliteAppend(terms: Terms) {
  const { database, statements: alone, isHeld } = terms;
  const transact = createSharedTransactions(database);
  async function appendSome(
    { query, execute }: Statements,
    requests: readonly AppendRequest[],
  ): Promise<AppendedRow[]> {
    const pieces = requests.flatMap(toPieces);
    if (pieces.length > 0) {
      // One of the same id was not made part of the answer. The same events and more take its place.
      await execute`
        INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
        SELECT given."replyId", given."firstId", given."lastId", given."bytes", given."text"
        FROM ${givenRows(database, pieceColumns, pieces)}
        JOIN "KeptAnswer" AS answer ON answer."id" = given."replyId" AND answer."lastId" = given."before"
        WHERE ${isHeld}
        ON CONFLICT ("answerId", "firstId") DO UPDATE SET
          "lastId" = excluded."lastId", "bytes" = excluded."bytes", "text" = excluded."text"`;
    }
    return await query<AppendedRow>`${updateAnswers(terms, requests)}`;
  }
  async function appendAll(statements: Statements, requests: readonly AppendRequest[]) {
    const rows: AppendedRow[] = [];
    for (let at = 0; at < requests.length; at += maxSqliteRequests)
      rows.push(...(await appendSome(statements, requests.slice(at, at + maxSqliteRequests))));
    return rows;
  }
  return async (requests: readonly AppendRequest[]): Promise<AppendedRow[]> => {
    if (!requests.some(({ ending }) => ending?.alongside)) return await appendAll(alone, requests);
    return await transact(async (transaction) => {
      const rows = await appendAll(transaction, requests);
      const lastIds = new Map(rows.map(({ id, lastId }) => [id, Number(lastId)]));
      for (const request of requests) {
        const hasEnded = lastIds.get(request.replyId) === boundsOf(request).after;
        if (hasEnded) await request.ending?.alongside?.(transaction);
      }
      return rows;
    });
  };
}

/** All of it is one statement. A transaction with what endings bring along would hold everybody's locks for longer. */
function createPostgresqlAppend(terms: Terms) {
  const { database, statements } = terms;
  const { query } = statements;
  return async (requests: readonly AppendRequest[]): Promise<AppendedRow[]> => {
    const pieces = requests.flatMap(toPieces);
    if (pieces.length === 0) return await query<AppendedRow>`${updateAnswers(terms, requests)}`;
    return await query<AppendedRow>`
      WITH appended AS (${updateAnswers(terms, requests)}), stored AS (
        INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
        SELECT given."replyId", given."firstId", given."lastId", given."bytes", given."text"
        FROM ${givenRows(database, pieceColumns, pieces)}
        JOIN appended ON appended."id" = given."replyId" AND appended."lastId" = given."after"
        ON CONFLICT ("answerId", "firstId") DO NOTHING
      ) SELECT "id", "lastId", "stopAskedAtMs" FROM appended`;
  };
}

export async function insertPieces(
  { execute }: Pick<Statements, "execute">,
  pieces: readonly Piece[],
): Promise<void> {
  for (const { replyId, firstId, lastId, bytes, text } of pieces) {
    await execute`
      INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
      VALUES (${replyId}, ${firstId}, ${lastId}, ${bytes}, ${text})
      ON CONFLICT ("answerId", "firstId") DO NOTHING`;
  }
}

function toPieces(request: AppendRequest) {
  const bounds = boundsOf(request);
  return splitIntoPieces(request).map((piece) => ({ ...piece, ...bounds }));
}

function boundsOf({ firstId, events }: Pick<AppendRequest, "firstId" | "events">) {
  return { before: firstId - 1, after: firstId - 1 + events.length };
}
