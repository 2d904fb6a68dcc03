import { Prisma } from "~/generated/sqlite/client";
import type { Clock } from "~/platform/time/clock";
import type { Database } from "~/platform/database/database.server";
import { databaseNowMs } from "~/platform/database/database-clock.server";
import type { QuotaOwner } from "./quota-subject";
import { reservationsOn } from "./reservations.store.server";
import type { QuotaStanding } from "./reservations.store.server";

export type QuotaStore = ReturnType<typeof createQuotaStore>;

/** The tokens that an answer really took. */
export type Usage = { reservationId: string; usedTokens: number };

/** A crash leaves few reservations; they are looked at in batches of so many. */
const orphanBatch = 200;

/** The ledger of quotas. `instance` names this process among all that share the database. */
export function createQuotaStore(database: Database, clock: Clock, instance: string) {
  /**
   * Counts in the window it was reserved in, while that is open. Deleting the reservation decides who settles it: of several
   * at once exactly one. False: settled before, or wiped by a reset.
   */
  function settle({ reservationId: id, usedTokens }: Usage): Promise<boolean> {
    return database.$transaction(async (client) => {
      const [deleted] = await client.$queryRaw<{ kind: string; subject: string; windowResetAtMs: bigint }[]>`
        DELETE FROM "QuotaReservation" WHERE "id" = ${id} RETURNING "kind", "subject", "windowResetAtMs"`;
      if (!deleted) return false;
      const { kind, subject, windowResetAtMs } = deleted;
      await client.quotaWindow.updateMany({
        where: { kind, subject, resetAtMs: windowResetAtMs },
        data: { used: { increment: Math.max(0, Math.ceil(usedTokens)) } },
      });
      return true;
    });
  }

  return {
    reserve: reservationsOn(database, { clock, instance }),
    settle,
    /**
     * Settles reservations nobody will settle any more: those that have expired, and those of `goneInstances`. Where it
     * is unknown how long their answers became, in full: use must not go unrecorded. 0: there are none left, except of
     * answers under way.
     */
    async settleOrphans({ nowMs, goneInstances = [], findUsages }: OrphanRequest): Promise<number> {
      const hasExpired = { expiresAtMs: { lte: BigInt(nowMs) } };
      let count = 0;
      for (let after: string | undefined = ""; count === 0 && after !== undefined;) {
        const orphans: { id: string; amount: number }[] = await database.quotaReservation.findMany({
          where: { id: { gt: after }, OR: [hasExpired, { instance: { in: [...goneInstances] } }] },
          orderBy: { id: "asc" },
          take: orphanBatch,
        });
        const usages = await findUsages?.(orphans.map(({ id }) => id));
        for (const { id: reservationId, amount } of orphans) {
          const usage = usages?.get(reservationId);
          if (usage?.isUnderWay) continue;
          if (await settle({ reservationId, usedTokens: usage?.usedTokens ?? amount })) count++;
        }
        after = orphans.at(orphanBatch - 1)?.id;
      }
      return count;
    },
    async readStanding({ owner, limit }: { owner: QuotaOwner; limit: number }): Promise<QuotaStanding> {
      // One statement, so that what is settled meanwhile counts neither twice nor not at all.
      const [row] = await database.$queryRaw<{ used: number; reserved: bigint; resetAtMs: bigint }[]>`
        SELECT w."used", w."resetAtMs", (
          SELECT COALESCE(SUM(r."amount"), 0) FROM "QuotaReservation" AS r
          WHERE r."kind" = w."kind" AND r."subject" = w."subject" AND r."windowResetAtMs" = w."resetAtMs"
        ) AS "reserved"
        FROM "QuotaWindow" AS w
        WHERE w."kind" = ${owner.kind} AND w."subject" = ${owner.subject} AND w."resetAtMs" > ${BigInt(clock())}`;
      const { used, reserved } = { used: Number(row?.used ?? 0), reserved: Number(row?.reserved ?? 0) };
      const remaining = Math.max(0, limit - used - reserved);
      return {
        limit,
        used,
        reserved,
        remaining,
        resetAtMs: row === undefined ? null : Number(row.resetAtMs),
      };
    },
    ...createInstanceStore(database, instance),
  };
}

/** What is known elsewhere of what reservations were used for. One that is under way is settled by whoever ends it. */
export type FindUsages = (
  reservationIds: readonly string[],
) => Promise<ReadonlyMap<string, { usedTokens: number; isUnderWay: boolean }>>;

type OrphanRequest = {
  nowMs: number;
  goneInstances?: readonly string[];
  findUsages?: FindUsages | undefined;
};

/** Which processes with reservations are alive, by the database's clock. */
function createInstanceStore(database: Database, instance: string) {
  const now = databaseNowMs(database);
  return {
    /** Declares this process alive until the timeout. False where it did not count as alive before. */
    async sendHeartbeat({ timeoutMs }: { timeoutMs: number }): Promise<boolean> {
      const until = Prisma.sql`${now} + ${BigInt(timeoutMs)}`;
      const renewed = await database.$executeRaw`
        UPDATE "QuotaInstance" SET "expiresAtMs" = ${until}
        WHERE "instance" = ${instance} AND "expiresAtMs" > ${now}`;
      if (renewed === 1) return true;
      await database.$executeRaw`
        INSERT INTO "QuotaInstance" ("instance", "expiresAtMs") VALUES (${instance}, ${until})
        ON CONFLICT ("instance") DO UPDATE SET "expiresAtMs" = excluded."expiresAtMs"`;
      return false;
    },
    /** Reservations of this process have no owner from now on. */
    async leave(): Promise<void> {
      await database.quotaInstance.updateMany({ where: { instance }, data: { expiresAtMs: 0n } });
    },
    /** Processes that never sent a heartbeat are not listed. */
    async listGoneInstances(): Promise<string[]> {
      const rows = await database.$queryRaw<{ instance: string }[]>`
        SELECT "instance" FROM "QuotaInstance" WHERE "expiresAtMs" <= ${now}`;
      return rows.map((row) => row.instance);
    },
    /** Once all they left is settled; one that is back meanwhile stays. */
    async forgetInstances(instances: readonly string[]): Promise<void> {
      if (instances.length === 0) return;
      await database.$executeRaw`
        DELETE FROM "QuotaInstance" WHERE "instance" IN (${Prisma.join([...instances])}) AND "expiresAtMs" <= ${now}
          AND NOT EXISTS (
            SELECT 1 FROM "QuotaReservation" AS r WHERE r."instance" = "QuotaInstance"."instance"
          )`;
    },
  };
}
