import { isSqlite } from "~/platform/database/database.server";
import { transactWithStatements } from "~/platform/database/kept-statements.server";
import type { Statements } from "~/platform/database/kept-statements.server";
import type { Alongside, BeginOutcome, BeginRequest, Conversation } from "./kept-answer-store.server";
import type { Terms } from "./kept-answer-appends.store.server";

type Refused = Exclude<BeginOutcome, { outcome: "begun" }>;
type Beginning = BeginRequest & { place: number };

/** Whether it has begun: neither its conversation nor its place was taken. */
type Insert = (beginning: Beginning, alongside?: Alongside) => Promise<boolean>;

/** The part of the store that takes conversations, and gives them back where an answer did not begin. */
export function createBeginning(terms: Terms) {
  const { database, statements, isAbandoned } = terms;
  const { query, execute } = statements;
  const insert = isSqlite(database) ? createSqliteInsert(terms) : createPostgresqlInsert(terms);

  /** Null where its conversation is free. */
  async function findOpen({ owner, conversationId }: Conversation): Promise<Refused | null> {
    const [open] = await query<{ id: string; isAbandoned: unknown }>`
      SELECT "id", ${isAbandoned} AS "isAbandoned" FROM "KeptAnswer"
      WHERE "conversationId" = ${conversationId} AND "owner" = ${owner} AND "expiresAtMs" IS NULL`;
    if (open === undefined) return null;
    return { outcome: open.isAbandoned ? "abandoned" : "under-way", replyId: open.id };
  }

  /** Those that have lost their writer give theirs back, where there is no other one. */
  async function listFreePlaces({ openFor, maxOpen }: BeginRequest): Promise<number[]> {
    const rows = await query<{ place: number; isAbandoned: unknown }>`
      SELECT "place", ${isAbandoned} AS "isAbandoned" FROM "KeptAnswer"
      WHERE "openFor" = ${openFor} AND "place" < ${maxOpen} AND "expiresAtMs" IS NULL`;
    const taken = new Set(rows.map(({ place }) => place));
    const free = Array.from({ length: maxOpen }, (_, place) => place).filter((place) => !taken.has(place));
    if (free.length > 0) return free;
    await execute`UPDATE "KeptAnswer" SET "place" = NULL WHERE "openFor" = ${openFor} AND ${isAbandoned}`;
    return rows.filter((row) => row.isAbandoned).map(({ place }) => place);
  }

  return {
    /** Places are tried at random: two that begin at once, and try the same, wait for one another. */
    async begin(request: BeginRequest, alongside?: Alongside): Promise<BeginOutcome> {
      let place: number | undefined = Math.floor(Math.random() * request.maxOpen);
      while (place !== undefined) {
        if (await insert({ place, ...request }, alongside)) return { outcome: "begun" };
        const refused = await findOpen(request);
        if (refused !== null) return refused;
        const free = await listFreePlaces(request);
        place = free[Math.floor(Math.random() * free.length)];
      }
      return { outcome: "too-many" };
    },

    async discard(replyId: string): Promise<void> {
      await execute`
        DELETE FROM "KeptAnswer" WHERE "id" = ${replyId} AND "lastId" = 0 AND "expiresAtMs" IS NULL`;
    },
  };
}

/** One transaction with what is done alongside. */
function createSqliteInsert({ database, statements: alone, now }: Terms): Insert {
  async function insert({ execute }: Statements, beginning: Beginning): Promise<boolean> {
    const { owner, conversationId, replyId, openFor, place, proofHash, leaseMs } = beginning;
    const inserted = await execute`
      INSERT INTO "KeptAnswer" ("id", "owner", "conversationId", "openFor", "place", "proofHash", "leaseExpiresAtMs")
      VALUES (${replyId}, ${owner}, ${conversationId}, ${openFor}, ${place}, ${proofHash}, ${now} + ${BigInt(leaseMs)})
      ON CONFLICT DO NOTHING`;
    return inserted === 1;
  }
  return async (beginning, alongside) => {
    if (!alongside) return await insert(alone, beginning);
    return await transactWithStatements(database, async (transaction) => {
      const hasBegun = await insert(transaction, beginning);
      if (hasBegun) await alongside(transaction);
      return hasBegun;
    });
  };
}

/**
 * A statement of its own, before what is done alongside. With that it does not wait for the disk: what is done alongside
 * follows it in PostgreSQL's log, and so is not kept without it.
 */
function createPostgresqlInsert({ statements: { execute }, now }: Terms): Insert {
  return async (beginning, alongside) => {
    const { replyId, owner, conversationId, openFor, place, proofHash, leaseMs } = beginning;
    const commit = alongside ? "off" : null;
    const inserted = await execute`
      INSERT INTO "KeptAnswer" ("id", "owner", "conversationId", "openFor", "place", "proofHash", "leaseExpiresAtMs")
      SELECT ${replyId}, ${owner}, ${conversationId}, ${openFor}, CAST(${place} AS INTEGER), ${proofHash}, ${now} + ${BigInt(leaseMs)}
      FROM set_config('synchronous_commit', COALESCE(${commit}, current_setting('synchronous_commit')), true) AS commits
      ON CONFLICT DO NOTHING`;
    if (inserted === 1) await alongside?.(null);
    return inserted === 1;
  };
}
