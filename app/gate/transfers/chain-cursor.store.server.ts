import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "~/platform/leases/lease";
import { databaseNowMs } from "~/platform/database/database-clock.server";
import { whileHeld } from "~/platform/leases/lease-condition.store.server";

/** The last block whose transfers were read. */
export type ChainCursor = WatchedBlock & { blockHash: string };

export type WatchedContract = { chainId: number; contractAddress: string };

export type ChainCursorStore = ReturnType<typeof createChainCursorStore>;

/**
 * One cursor a chain. Its row bears the first contract that is followed there, because versions that followed one
 * contract look for it under that; the row written last counts, whichever contract it bears.
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
     * False, and nothing written, when the hold is not in force any more. May go back: after a reorganisation. One
     * statement, which judges the hold where it writes. A block dated in the future is dated now: once its endpoint
     * is gone, honest ones count again.
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

    /** How long ago the cursor was written, by the database's clock; null while there is none. */
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
