import { Prisma } from "~/generated/sqlite/client";
import { isSqlite } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { statementsOf, transactWithStatements } from "~/platform/database/kept-statements.server";
import type { Figure, Statements } from "~/platform/database/kept-statements.server";
import { givenRows, inParts } from "~/platform/database/given-rows.server";
import { databaseNowMs } from "~/platform/database/lease-condition.server";
import type { AppendRequest } from "./kept-answer-store.server";
import { splitIntoPieces } from "./pieces.server";

export type Terms = ReturnType<typeof answerTerms>;

export const answerTerms = (database: Database) => {
  const now = databaseNowMs(database);
  const isHeld = Prisma.sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" > ${now}`;
  const isAbandoned = Prisma.sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" <= ${now}`;
  const state = Prisma.sql`"id", "lastId", ${isHeld} AS "hasWriter", "endingId", "concludedAtMs", "expiresAtMs"`;
  return { database, statements: statementsOf(database), now, isHeld, isAbandoned, state };
};

export type AppendedRow = { id: string; lastId: Figure; stopAskedAtMs: Figure | null };

/** Appends to several answers at once; gives back those whose lease is held. */
export const appendFor = (terms: Terms) =>
  isSqlite(terms.database) ? createSqliteAppend(terms) : createPostgresqlAppend(terms);

/** `before` and `after`: the answer's last event without what is appended, and with it. */
const appendColumns = {
  replyId: "TEXT",
  leaseMs: "INTEGER",
  before: "INTEGER",
  after: "INTEGER",
  usedTokens: "INTEGER",
  headers: "TEXT",
} as const;

const endingColumns = {
  ...appendColumns,
  endingId: "INTEGER",
  keptUntilMs: "BIGINT",
  lastPieceFirstId: "INTEGER",
  lastPiece: "TEXT",
} as const;

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
export function updateAnswers(terms: Terms, appends: readonly Append[]): Prisma.Sql {
  const { database, now, isHeld } = terms;
  const goesOn = Prisma.sql`answer."lastId" = given."before"`;
  // Only where there are some: SQLite takes a row out of every index that has a column of these, and puts it back.
  const hasEndings = appends.some(({ row }) => row.endingId !== null);
  const endings = hasEndings
    ? Prisma.sql`,
      "endingId" = CASE WHEN ${goesOn} THEN given."endingId" END,
      "expiresAtMs" = CASE WHEN ${goesOn} THEN given."keptUntilMs" END,
      "lastPieceFirstId" = CASE WHEN ${goesOn} THEN given."lastPieceFirstId" END,
      "lastPiece" = CASE WHEN ${goesOn} THEN given."lastPiece" END`
    : Prisma.empty;
  const columns = hasEndings ? endingColumns : appendColumns;
  const rows = appends.map(({ row }) => row);
  return Prisma.sql`
    UPDATE "KeptAnswer" AS answer SET
      "leaseExpiresAtMs" = ${now} + given."leaseMs",
      "lastId" = CASE WHEN ${goesOn} THEN given."after" ELSE answer."lastId" END,
      "usedTokens" = CASE WHEN ${goesOn} THEN given."usedTokens" ELSE answer."usedTokens" END,
      "headers" = COALESCE(given."headers", answer."headers")${endings}
    FROM ${givenRows<keyof typeof appendColumns>(database, columns, rows)}
    WHERE answer."id" = given."replyId" AND ${isHeld}
    RETURNING "id", "lastId", "stopAskedAtMs"`;
}

/**
 * A piece is stored by the first statement, and becomes part of the answer by the second, which alone decides. With
 * endings, whose pieces come with the second, they are a transaction, which waits for the disk.
 */
function createSqliteAppend(terms: Terms) {
  const { database, statements: alone, isHeld } = terms;
  async function appendSome(
    { query, execute }: Statements,
    appends: readonly Append[],
  ): Promise<AppendedRow[]> {
    const pieces = appends.flatMap((append) => append.pieces);
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
    return await query<AppendedRow>`${updateAnswers(terms, appends)}`;
  }
  async function appendAll(statements: Statements, appends: readonly Append[]) {
    const rows: AppendedRow[] = [];
    for (const some of inParts(appends)) rows.push(...(await appendSome(statements, some)));
    return rows;
  }
  return async (requests: readonly AppendRequest[]): Promise<AppendedRow[]> => {
    const appends = requests.map(toAppend);
    if (!requests.some(({ ending }) => ending?.alongside)) return await appendAll(alone, appends);
    return await transactWithStatements(database, async (transaction) => {
      const rows = await appendAll(transaction, appends);
      const lastIds = new Map(rows.map(({ id, lastId }) => [id, Number(lastId)]));
      const ended = requests.filter((_, index) => {
        const { replyId, after } = appends[index]!.row;
        return lastIds.get(replyId) === after;
      });
      for (const { ending } of ended) await ending?.alongside?.(transaction);
      return rows;
    });
  };
}

/** All of it is one statement. A transaction with what endings bring along would hold everybody's locks for longer. */
function createPostgresqlAppend(terms: Terms) {
  const { database, statements } = terms;
  const { query } = statements;
  return async (requests: readonly AppendRequest[]): Promise<AppendedRow[]> => {
    const appends = requests.map(toAppend);
    const pieces = appends.flatMap((append) => append.pieces);
    const update = updateAnswers(terms, appends);
    if (pieces.length === 0) return await query<AppendedRow>`${update}`;
    return await query<AppendedRow>`
      WITH appended AS (${update}), stored AS (
        INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
        SELECT given."replyId", given."firstId", given."lastId", given."bytes", given."text"
        FROM ${givenRows(database, pieceColumns, pieces)}
        JOIN appended ON appended."id" = given."replyId" AND appended."lastId" = given."after"
        ON CONFLICT ("answerId", "firstId") DO NOTHING
      ) SELECT "id", "lastId", "stopAskedAtMs" FROM appended`;
  };
}

export type Append = ReturnType<typeof toAppend>;

/** What is to be written for a request: the row of its answer, and pieces. The one with the ending is in the row. */
export function toAppend(request: AppendRequest) {
  const { replyId, leaseMs, firstId, events, usedTokens, headers, ending } = request;
  const before = firstId - 1;
  const after = before + events.length;
  const pieces = splitIntoPieces(request);
  const lastPiece = ending ? pieces.pop() : undefined;
  const row = {
    replyId,
    leaseMs,
    before,
    after,
    usedTokens,
    headers: headers ? JSON.stringify(headers) : null,
    endingId: ending?.endingId ?? null,
    keptUntilMs: ending?.expiresAtMs ?? null,
    lastPieceFirstId: lastPiece?.firstId ?? null,
    lastPiece: lastPiece?.text ?? null,
  };
  return { row, pieces: pieces.map((piece) => ({ before, after, ...piece })) };
}
