import type { Database } from "~/platform/database/database.server";
import type { LeaseHold } from "~/platform/leases/lease";
import { databaseNowMs, whileHeld } from "~/platform/database/lease-condition.server";

/** The last block whose transfers were read. */
export type ChainCursor = { blockNumber: bigint; blockHash: string };

export type WatchedContract = { chainId: number; contractAddress: string };

export function createChainCursorStore(database: Database) {
  const now = databaseNowMs(database);

  return {
    async findCursor(contract: WatchedContract): Promise<ChainCursor | null> {
      const where = { chainId_contractAddress: toColumns(contract) };
      const row = await database.chainCursor.findUnique({ where });
      return row && { blockNumber: row.blockNumber, blockHash: row.blockHash };
    },

    /** False, and nothing written, when the hold is not in force any more. May go back: after a reorganisation. */
    async saveCursor(contract: WatchedContract, cursor: ChainCursor, hold?: LeaseHold): Promise<boolean> {
      const { chainId, contractAddress } = toColumns(contract);
      const { blockNumber, blockHash } = cursor;
      const isHeld = whileHeld(database, hold);
      const count = await database.$executeRaw`
        INSERT INTO "ChainCursor" ("chainId", "contractAddress", "blockNumber", "blockHash", "updatedAtMs")
        SELECT CAST(${chainId} AS BIGINT), ${contractAddress}, CAST(${blockNumber} AS BIGINT), ${blockHash}, ${now}
        WHERE ${isHeld}
        ON CONFLICT ("chainId", "contractAddress") DO UPDATE SET
          "blockNumber" = excluded."blockNumber", "blockHash" = excluded."blockHash",
          "updatedAtMs" = excluded."updatedAtMs"
        WHERE ${isHeld}`;
      return count === 1;
    },

    /** How long ago the cursor was written, by the database's clock; null while there is none. */
    async findCursorAgeMs(contract: WatchedContract): Promise<number | null> {
      const { chainId, contractAddress } = toColumns(contract);
      const [row] = await database.$queryRaw<{ ageMs: bigint }[]>`
        SELECT ${now} - "updatedAtMs" AS "ageMs" FROM "ChainCursor"
        WHERE "chainId" = ${chainId} AND "contractAddress" = ${contractAddress}`;
      return row ? Math.max(0, Number(row.ageMs)) : null;
    },
  };
}

function toColumns({ chainId, contractAddress }: WatchedContract) {
  return { chainId: BigInt(chainId), contractAddress: contractAddress.toLowerCase() };
}
