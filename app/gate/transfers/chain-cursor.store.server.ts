import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "~/platform/leases/lease";
import { databaseNowMs } from "~/platform/database/database-clock.server";
import { whileHeld } from "~/platform/leases/lease-condition.store.server";

/** The last block whose transfers were read. */
export type ChainCursor = WatchedBlock & { blockHash: string };

type WatchedContract = { chainId: number; contractAddress: string };

export type ChainCursorStore = ReturnType<typeof createChainCursorStore>;

/**
 * One cursor for each chain. Its row names the first contract on that chain, where earlier versions look;
 * the latest row counts.
 */
export function createChainCursorStore(database: Database) {
  const now = databaseNowMs(database);

  return {
    async findCursor({ chainId }: { chainId: number }): Promise<ChainCursor | null> {
      const row = await database.chainCursor.findFirst({
        where: { chainId: BigInt(chainId) },
        orderBy: { updatedAtMs: "desc" },
      });
      if (row === null) return null;
      const { blockNumber, blockHash, blockSeconds } = row;
      return { blockNumber, blockHash, blockSeconds };
    },

    /**
     * False if the hold has ended. A reorganisation may move the cursor back. A block dated in the future is dated now:
     * once its endpoint is gone, honest ones count again.
     */
    async saveCursor(contract: WatchedContract, cursor: ChainCursor, hold?: LeaseHold): Promise<boolean> {
      const { chainId, contractAddress } = toColumns(contract);
      const { blockNumber, blockHash, blockSeconds } = cursor;
      const isHeld = whileHeld(database, hold);
      const count = await database.$executeRaw`
        INSERT INTO "ChainCursor"
          ("chainId", "contractAddress", "blockNumber", "blockHash", "blockSeconds", "updatedAtMs")
        SELECT CAST(${chainId} AS BIGINT), ${contractAddress}, CAST(${blockNumber} AS BIGINT), ${blockHash},
          CASE WHEN CAST(${blockSeconds} AS BIGINT) < ${now} / 1000 THEN CAST(${blockSeconds} AS BIGINT)
            ELSE ${now} / 1000 END,
          ${now}
        WHERE ${isHeld}
        ON CONFLICT ("chainId", "contractAddress") DO UPDATE SET
          "blockNumber" = excluded."blockNumber", "blockHash" = excluded."blockHash",
          "blockSeconds" = excluded."blockSeconds", "updatedAtMs" = excluded."updatedAtMs"
        WHERE ${isHeld}`;
      return count === 1;
    },

    /** By the database's clock. Null without a cursor. */
    async findCursorAgeMs({ chainId }: { chainId: number }): Promise<number | null> {
      const [row] = await database.$queryRaw<{ ageMs: bigint | null }[]>`
        SELECT ${now} - MAX("updatedAtMs") AS "ageMs" FROM "ChainCursor" WHERE "chainId" = ${BigInt(chainId)}`;
      const ageMs = row?.ageMs ?? null;
      return ageMs === null ? null : Math.max(0, Number(ageMs));
    },
  };
}

function toColumns({ chainId, contractAddress }: WatchedContract) {
  return { chainId: BigInt(chainId), contractAddress: contractAddress.toLowerCase() };
}
