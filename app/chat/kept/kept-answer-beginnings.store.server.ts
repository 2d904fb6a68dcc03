import { isSqlite } from "~/platform/database/database.server";
import type { Statements } from "~/platform/database/direct-statements.server";
import { givenRows } from "~/platform/database/given-rows.server";
import { inLockingBatches } from "~/platform/database/locking-batches.server";
import { createSharedTransactions } from "~/platform/database/shared-transactions.server";
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

/** One transaction with what is done alongside, which those of one tick share. */
function createSqliteInsert({ database, statements: alone, now }: Terms): Insert {
  const transact = createSharedTransactions(database);
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
    return await transact(async (transaction) => {
      const hasBegun = await insert(transaction, beginning);
      if (hasBegun) await alongside(transaction);
      return hasBegun;
    });
  };
}

const beginningColumns = {
  replyId: "TEXT",
  owner: "TEXT",
  conversationId: "TEXT",
  openFor: "TEXT",
  place: "INTEGER",
  proofHash: "TEXT",
  leaseMs: "INTEGER",
} as const;

function toRow({ replyId, owner, conversationId, openFor, place, proofHash, leaseMs }: Beginning) {
  return { replyId, owner, conversationId, openFor, place, proofHash, leaseMs };
}

type Followed = Beginning & { isFollowed: boolean };

/**
 * Those that begin at once are one statement, before what is done alongside. With that it does not wait for the disk: what is
 * done alongside follows it in PostgreSQL's log, and so is not kept without it.
 */
function createPostgresqlInsert({ database, statements: { query }, now }: Terms): Insert {
  const insert = inLockingBatches(async (beginnings: readonly Followed[], lockWait) => {
    const commit = beginnings.every(({ isFollowed }) => isFollowed) ? "off" : null;
    const begun = await query<{ id: string }>`
      INSERT INTO "KeptAnswer" ("id", "owner", "conversationId", "openFor", "place", "proofHash", "leaseExpiresAtMs")
      SELECT given."replyId", given."owner", given."conversationId", given."openFor", given."place", given."proofHash",
        ${now} + given."leaseMs"
      FROM set_config('synchronous_commit', COALESCE(${commit}, current_setting('synchronous_commit')), true) AS commits,
        ${lockWait} AS locks,
        ${givenRows(database, beginningColumns, beginnings.map(toRow))}
      ON CONFLICT DO NOTHING
      RETURNING "id"`;
    const ids = new Set(begun.map(({ id }) => id));
    return beginnings.map(({ replyId }) => ids.has(replyId));
  });
  return async (beginning, alongside) => {
    const hasBegun = await insert({ isFollowed: alongside !== undefined, ...beginning });
    if (hasBegun) await alongside?.(null);
    return hasBegun;
  };
}
