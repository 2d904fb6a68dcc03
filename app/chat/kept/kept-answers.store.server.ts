import { Prisma } from "~/generated/sqlite/client";
import type { KeptAnswer } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/database-clock.server";
import type {
  ReplyHeaders,
  ReplySession,
  ReplyState,
  AppendRequest,
  BeginOutcome,
  BeginRequest,
  Conversation,
  FoundReply,
  KeptEvent,
} from "./kept-reply";

export type KeptAnswerStore = ReturnType<typeof createKeptAnswerStore>;

/** Raw statements, because leases are judged by the database's clock. */
const termsOf = (database: Database) => {
  const now = databaseNowMs(database);
  const isHeld = Prisma.sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" > ${now}`;
  const isAbandoned = Prisma.sql`"expiresAtMs" IS NULL AND "leaseExpiresAtMs" <= ${now}`;
  return { database, now, isHeld, isAbandoned };
};

type Terms = ReturnType<typeof termsOf>;

/** Resumable replies. Each function is atomic, and rejects while the database is unreachable. */
export function createKeptAnswerStore(database: Database, clock: Clock) {
  const terms = termsOf(database);
  return {
    ...createBeginning(terms),
    ...createWriting(terms),
    ...createConcluding(terms),
    ...createReading(terms, clock),
  };
}

function createBeginning({ database, now, isAbandoned }: Terms) {
  /** Two unique indexes decide: one reply under way per conversation, and one per place. */
  async function insert(request: BeginRequest, place: number): Promise<boolean> {
    const { owner, conversationId, replyId, openFor, proofHash, leaseMs } = request;
    const inserted = await database.$executeRaw`
      INSERT INTO "KeptAnswer" ("id", "owner", "conversationId", "openFor", "place", "proofHash", "leaseExpiresAtMs")
      VALUES (${replyId}, ${owner}, ${conversationId}, ${openFor}, ${place}, ${proofHash}, ${now} + ${BigInt(leaseMs)})
      ON CONFLICT DO NOTHING`;
    return inserted === 1;
  }

  async function findObstacle(request: BeginRequest): Promise<BeginOutcome | null> {
    const { owner, conversationId, replyId } = request;
    const [open] = await database.$queryRaw<{ id: string; isAbandoned: unknown }[]>`
      SELECT "id", ${isAbandoned} AS "isAbandoned" FROM "KeptAnswer"
      WHERE "conversationId" = ${conversationId} AND "owner" = ${owner} AND "expiresAtMs" IS NULL`;
    if (open) return { outcome: open.isAbandoned ? "abandoned" : "under-way", replyId: open.id };
    const namesake = await database.keptAnswer.findUnique({ where: { id: replyId }, select: { id: true } });
    return namesake && { outcome: "name-taken" };
  }

  /** Abandoned replies give up their places if no other one is free. */
  async function listFreePlaces({ openFor, maxOpen }: BeginRequest): Promise<number[]> {
    const rows = await database.$queryRaw<{ place: number; isAbandoned: unknown }[]>`
      SELECT "place", ${isAbandoned} AS "isAbandoned" FROM "KeptAnswer"
      WHERE "openFor" = ${openFor} AND "place" < ${maxOpen} AND "expiresAtMs" IS NULL`;
    const taken = new Set(rows.map(({ place }) => place));
    const free = Array.from({ length: maxOpen }, (_, place) => place).filter((place) => !taken.has(place));
    if (free.length > 0) return free;
    await database.$executeRaw`
      UPDATE "KeptAnswer" SET "place" = NULL WHERE "openFor" = ${openFor} AND ${isAbandoned}`;
    return rows.filter((row) => row.isAbandoned).map(({ place }) => place);
  }

  return {
    /** Tries places at random, so that simultaneous beginnings rarely collide. */
    async begin(request: BeginRequest): Promise<BeginOutcome> {
      let place: number | undefined = Math.floor(Math.random() * request.maxOpen);
      while (place !== undefined) {
        if (await insert(request, place)) return { outcome: "begun" };
        const obstacle = await findObstacle(request);
        if (obstacle !== null) return obstacle;
        const free = await listFreePlaces(request);
        place = free[Math.floor(Math.random() * free.length)];
      }
      return { outcome: "too-many" };
    },

    /** Deletes a reply that failed before its first byte. */
    async discard({ replyId, owner, conversationId }: Conversation & { replyId: string }): Promise<void> {
      await database.keptAnswer.deleteMany({
        where: { id: replyId, owner, conversationId, lastId: 0, expiresAtMs: null },
      });
    },
  };
}

function createWriting({ database, now, isHeld }: Terms) {
  /** Nobody reads the piece before the reply's `lastId` includes it. */
  async function storePiece({ replyId, firstId, events }: AppendRequest, lastId: number): Promise<void> {
    const text = events.join("\n");
    const bytes = Buffer.byteLength(text);
    await database.$executeRaw`
      INSERT INTO "KeptPiece" ("answerId", "firstId", "lastId", "bytes", "text")
      SELECT "id", CAST(${firstId} AS INTEGER), CAST(${lastId} AS INTEGER), CAST(${bytes} AS INTEGER), ${text}
      FROM "KeptAnswer" WHERE "id" = ${replyId} AND ${isHeld} AND "lastId" = ${firstId - 1}
      ON CONFLICT DO NOTHING`;
  }

  async function askToStop(which: Prisma.Sql): Promise<string[]> {
    const rows = await database.$queryRaw<{ id: string }[]>`
      UPDATE "KeptAnswer" SET "stopAskedAtMs" = ${now} WHERE ${which} AND ${isHeld} RETURNING "id"`;
    return rows.map(({ id }) => id);
  }

  return {
    /** Whether the lease was held. Idempotent: repeat the same request if its outcome is unknown. */
    async append(request: AppendRequest): Promise<boolean> {
      const { replyId, leaseMs, firstId, events, usedTokens, headers, ending } = request;
      const lastId = firstId - 1 + events.length;
      // The last events are in the reply's own row, so a short reply has no pieces.
      if (!ending && events.length > 0) await storePiece(request, lastId);
      const lastPiece = events.length > 0 ? events.join("\n") : null;
      const changed = await database.$executeRaw`
        UPDATE "KeptAnswer" SET "leaseExpiresAtMs" = ${now} + ${BigInt(leaseMs)}, "lastId" = ${lastId},
          "usedTokens" = ${usedTokens}
          ${headers ? Prisma.sql`, "headers" = ${JSON.stringify(headers)}` : Prisma.empty}
          ${ending ? Prisma.sql`, "endingId" = ${ending.endingId}, "expiresAtMs" = ${BigInt(ending.expiresAtMs)}` : Prisma.empty}
          ${ending ? Prisma.sql`, "lastPieceFirstId" = ${firstId}, "lastPiece" = ${lastPiece}` : Prisma.empty}
        WHERE "id" = ${replyId} AND ${isHeld} AND "lastId" IN (${firstId - 1}, ${lastId})`;
      return changed === 1;
    },

    /** Asks the writer to stop. Returns the ID of the reply, if it is under way. */
    async askToStop({ owner, conversationId }: Conversation, name?: string): Promise<string | null> {
      const isNamed = name === undefined ? Prisma.empty : Prisma.sql`AND "id" = ${name}`;
      const which = Prisma.sql`"conversationId" = ${conversationId} AND "owner" = ${owner} ${isNamed}`;
      return (await askToStop(which))[0] ?? null;
    },

    /** Takes a free name, so that no reply can begin with it. */
    async takeName(name: string, expiresAtMs: number): Promise<void> {
      await database.$executeRaw`
        INSERT INTO "KeptAnswer" ("id", "owner", "conversationId", "leaseExpiresAtMs", "expiresAtMs")
        VALUES (${name}, '', '', 0, ${BigInt(expiresAtMs)}) ON CONFLICT DO NOTHING`;
    },

    askToStopSession: ({ owner, openFor, proofHash }: ReplySession): Promise<string[]> =>
      askToStop(Prisma.sql`"openFor" = ${openFor} AND "owner" = ${owner} AND "proofHash" = ${proofHash}`),

    async listAskedToStop(replyIds: readonly string[]): Promise<string[]> {
      const where = { id: { in: [...replyIds] }, stopAskedAtMs: { not: null } };
      const rows = await database.keptAnswer.findMany({ where, select: { id: true } });
      return rows.map(({ id }) => id);
    },
  };
}

function createConcluding({ database, now, isAbandoned }: Terms) {
  return {
    /** Ends an abandoned reply: `endingEvents` follow the stored ones. Exactly one of several callers succeeds. */
    async conclude({ replyId, endingEvents, expiresAtMs }: Concluding): Promise<boolean> {
      const concluded = await database.$executeRaw`
        UPDATE "KeptAnswer" SET "endingId" = "lastId" + 1, "lastId" = "lastId" + ${endingEvents.length},
          "lastPieceFirstId" = "lastId" + 1, "lastPiece" = ${endingEvents.join("\n")},
          "concludedAtMs" = ${now}, "expiresAtMs" = ${BigInt(expiresAtMs)}
        WHERE "id" = ${replyId} AND ${isAbandoned}`;
      return concluded === 1;
    },

    /** Replies that lost their writer, at most 100. */
    async listAbandoned(): Promise<string[]> {
      const rows = await database.$queryRaw<{ id: string }[]>`
        SELECT "id" FROM "KeptAnswer" WHERE "openFor" >= '' AND ${isAbandoned} LIMIT 100`;
      return rows.map(({ id }) => id);
    },

    /** Stored usage. Unknown replies are omitted. */
    async findUsages(replyIds: readonly string[]) {
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

type Concluding = { replyId: string; endingEvents: readonly string[]; expiresAtMs: number };
type StateRow = Pick<KeptAnswer, "id" | "lastId" | "endingId" | "concludedAtMs"> & { hasWriter: unknown };

/** Open and ended replies have an index each. */
export const findStatements = (database: Database, conversation: Conversation) => {
  const { isHeld } = termsOf(database);
  const found = Prisma.sql`
    SELECT "id", "lastId", ${isHeld} AS "hasWriter", "endingId", "concludedAtMs", "expiresAtMs", "headers"
    FROM "KeptAnswer" WHERE "conversationId" = ${conversation.conversationId} AND "owner" = ${conversation.owner}`;
  return {
    open: Prisma.sql`${found} AND "expiresAtMs" IS NULL`,
    ended: Prisma.sql`${found} AND "expiresAtMs" IS NOT NULL ORDER BY "leaseExpiresAtMs" DESC LIMIT 1`,
  };
};

function createReading({ database, isHeld }: Terms, clock: Clock) {
  return {
    /** The conversation's newest reply, until it expires. */
    async find(conversation: Conversation): Promise<FoundReply | null> {
      type Row = StateRow & Pick<KeptAnswer, "headers" | "expiresAtMs">;
      const { open, ended } = findStatements(database, conversation);
      const row = (await database.$queryRaw<Row[]>(open))[0] ?? (await database.$queryRaw<Row[]>(ended))[0];
      if (!row || (row.expiresAtMs !== null && Number(row.expiresAtMs) <= clock())) return null;
      const headers = row.headers === null ? null : (JSON.parse(row.headers) as ReplyHeaders);
      return { replyId: row.id, headers, ...toState(row) };
    },

    /** At least one event if there is one; at most one piece beyond `maxBytes`. Null if the reply is gone. */
    async read({ replyId, afterId, maxBytes }: { replyId: string; afterId: number; maxBytes: number }) {
      const [row] = await database.$queryRaw<
        (StateRow & Pick<KeptAnswer, "lastPieceFirstId" | "lastPiece">)[]
      >`
        SELECT "id", "lastId", ${isHeld} AS "hasWriter", "endingId", "concludedAtMs", "lastPieceFirstId", "lastPiece"
        FROM "KeptAnswer" WHERE "id" = ${replyId}`;
      if (row === undefined) return null;
      const state = toState(row);
      if (state.lastId <= afterId) return { ...state, events: [] };
      const endId = Number(row.lastPieceFirstId ?? state.lastId + 1);
      const pieces = await database.$queryRaw<{ firstId: number; text: string }[]>`
        SELECT "firstId", "text" FROM (
          SELECT "firstId", "text", SUM("bytes") OVER (ORDER BY "firstId") - "bytes" AS "bytesBefore"
          FROM "KeptPiece" WHERE "answerId" = ${replyId} AND "lastId" > ${afterId} AND "firstId" < ${endId}
        ) AS piece
        WHERE "bytesBefore" < ${maxBytes} ORDER BY "firstId"`;
      const chars = pieces.reduce((sum, { text }) => sum + text.length, 0);
      if (row.lastPiece !== null && chars < maxBytes) pieces.push({ firstId: endId, text: row.lastPiece });
      return { ...state, events: takeInOrder(pieces.flatMap(toEvents), afterId, state.lastId) };
    },
  };
}

function toEvents({ firstId, text }: { firstId: number; text: string }): KeptEvent[] {
  return text.split("\n").map((json, index) => ({ id: Number(firstId) + index, json }));
}

/** Up to a gap: the sweeper may delete pieces first. */
function takeInOrder(events: readonly KeptEvent[], afterId: number, lastId: number): KeptEvent[] {
  const wanted = events.filter(({ id }) => id > afterId && id <= lastId);
  const gap = wanted.findIndex(({ id }, index) => id !== afterId + 1 + index);
  return gap < 0 ? wanted : wanted.slice(0, gap);
}

function toState({ lastId, hasWriter, endingId, concludedAtMs }: StateRow): ReplyState {
  return {
    lastId: Number(lastId),
    hasWriter: Boolean(hasWriter),
    ending: endingId === null ? null : { endingId: Number(endingId), isBroken: concludedAtMs !== null },
  };
}
