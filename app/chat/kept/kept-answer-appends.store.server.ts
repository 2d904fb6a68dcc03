import { sqltag as sql } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { directStatements } from "~/platform/database/direct-statements.server";
import type { Figure, Statements } from "~/platform/database/direct-statements.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";
import type { AppendRequest } from "./kept-answer-store.server";
import { splitIntoPieces } from "./pieces.server";
import type { Piece } from "./pieces.server";

export type Terms = ReturnType<typeof answerTerms>;

export const answerTerms = (database: Database) => {
  const now = databaseNowMs(database);
  // The plus keeps SQLite from that column's index, by which it goes through all answers under way for each that is given.
  const isHeld = sql`+"expiresAtMs" IS NULL AND "leaseExpiresAtMs" > ${now}`;
  const isAbandoned = sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" <= ${now}`;
  const state = sql`"id", "lastId", ${isHeld} AS "hasWriter", "endingId", "concludedAtMs", "expiresAtMs"`;
  /** One row for each element, in a column `value`, so that the statement is the same for any number of them. */
  const rowsOf = (elements: unknown): Sql =>
    isSqlite(database)
      ? sql`json_each(${JSON.stringify(elements)}) AS given`
      : sql`jsonb_array_elements(${JSON.stringify(elements)}::jsonb) AS given("value")`;
  return { statements: directStatements(database), now, isHeld, isAbandoned, state, rowsOf };
};

export type AppendedRow = { id: string; lastId: Figure; stopAskedAtMs: Figure | null };

/** Appends to several answers at once; gives back those whose lease is held. */
export const appendFor = (database: Database, terms: Terms) =>
  isSqlite(database) ? createSqliteAppend(terms) : createPostgresqlAppend(terms);

/** Appends where the answer stands where it should; renews the lease in any case. */
function updateAnswers({ now, isHeld, rowsOf }: Terms, requests: readonly AppendRequest[]): Sql {
  const given = requests.map(({ replyId, leaseMs, firstId, events, usedTokens, headers, ending }) => {
    return {
      replyId,
      leaseMs,
      before: firstId - 1,
      after: lastIdOf({ firstId, events }),
      usedTokens,
      ...(headers && { headers: JSON.stringify(headers) }),
      ...ending,
    };
  });
  const goesOn = sql`answer."lastId" = CAST("value" ->> 'before' AS INTEGER)`;
  const ends = sql`${goesOn} AND "value" ->> 'endingId' IS NOT NULL`;
  return sql`
    UPDATE "KeptAnswer" AS answer SET
      "leaseExpiresAtMs" = ${now} + CAST("value" ->> 'leaseMs' AS BIGINT),
      "lastId" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'after' AS INTEGER) ELSE "lastId" END,
      "usedTokens" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'usedTokens' AS INTEGER) ELSE "usedTokens" END,
      "headers" = COALESCE("value" ->> 'headers', "headers"),
      "endingId" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'endingId' AS INTEGER) END,
      "expiresAtMs" = CASE WHEN ${goesOn} THEN CAST("value" ->> 'expiresAtMs' AS BIGINT) END,
      "openConversation" = CASE WHEN ${ends} THEN NULL ELSE "openConversation" END,
      "openFor" = CASE WHEN ${ends} THEN NULL ELSE "openFor" END
    FROM ${rowsOf(given)}
    WHERE answer."id" = "value" ->> 'replyId' AND ${isHeld}
    RETURNING "id", "lastId", "stopAskedAtMs"`;
}

/** The piece is stored by the first statement, and becomes part of the answer by the second, which alone decides. */
function createSqliteAppend(terms: Terms) {
  const { statements, isHeld, rowsOf } = terms;
  const { query, execute } = statements;
  return async (requests: readonly AppendRequest[]): Promise<AppendedRow[]> => {
    const pieces = requests.flatMap((request) =>
      splitIntoPieces(request).map((piece) => ({ ...piece, before: request.firstId - 1 })),
    );
    if (pieces.length > 0) {
      // One of the same id was not made part of the answer. The same events and more take its place.
      await execute`
        INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
        SELECT ${pieceColumns} FROM ${rowsOf(pieces)} JOIN "KeptAnswer" AS answer
          ON answer."id" = "value" ->> 'replyId' AND answer."lastId" = CAST("value" ->> 'before' AS INTEGER)
        WHERE ${isHeld}
        ON CONFLICT ("answerId", "firstId") DO UPDATE SET
          "lastId" = excluded."lastId", "bytes" = excluded."bytes", "text" = excluded."text"`;
    }
    return await query<AppendedRow>`${updateAnswers(terms, requests)}`;
  };
}

/** All of it is one statement. */
function createPostgresqlAppend(terms: Terms) {
  const { statements, rowsOf } = terms;
  const { query } = statements;
  return async (requests: readonly AppendRequest[]): Promise<AppendedRow[]> => {
    const pieces = requests.flatMap((request) =>
      splitIntoPieces(request).map((piece) => ({ ...piece, after: lastIdOf(request) })),
    );
    if (pieces.length === 0) return await query<AppendedRow>`${updateAnswers(terms, requests)}`;
    return await query<AppendedRow>`
      WITH appended AS (${updateAnswers(terms, requests)}), stored AS (
        INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
        SELECT ${pieceColumns} FROM ${rowsOf(pieces)} JOIN appended
          ON appended."id" = "value" ->> 'replyId' AND appended."lastId" = CAST("value" ->> 'after' AS INTEGER)
        ON CONFLICT ("answerId", "firstId") DO NOTHING
      ) SELECT "id", "lastId", "stopAskedAtMs" FROM appended`;
  };
}

/** Of a piece that is given as JSON. */
const pieceColumns = sql`"value" ->> 'replyId', CAST("value" ->> 'firstId' AS INTEGER),
  CAST("value" ->> 'lastId' AS INTEGER), CAST("value" ->> 'bytes' AS INTEGER), "value" ->> 'text'`;

export async function insertPieces(
  { execute }: Pick<Statements, "execute">,
  pieces: readonly Piece[],
  rowsOf: Terms["rowsOf"],
): Promise<void> {
  if (pieces.length === 0) return;
  // Without a WHERE SQLite takes ON for a join's.
  await execute`
    INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
    SELECT ${pieceColumns} FROM ${rowsOf(pieces)} WHERE 1 = 1
    ON CONFLICT ("answerId", "firstId") DO NOTHING`;
}

function lastIdOf({ firstId, events }: Pick<AppendRequest, "firstId" | "events">): number {
  return firstId - 1 + events.length;
}
