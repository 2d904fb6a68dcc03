import type { Clock } from "~/platform/clock";
import type { Database } from "~/platform/database/database.server";

/** The last block whose transfers were read. */
export type ChainCursor = { blockNumber: bigint; blockHash: string };

export type WatchedContract = { chainId: number; contractAddress: string };
export function createChainCursorStore({ database, clock }: { database: Database; clock: Clock }) {
  async function findCursor(contract: WatchedContract): Promise<ChainCursor | null> {
    const row = await database.chainCursor.findUnique({
      where: { chainId_contractAddress: toColumns(contract) },
    });
    return row === null ? null : { blockNumber: row.blockNumber, blockHash: row.blockHash };
  }

  /** May go back as well as forth: after a reorganisation the watcher reads some blocks again. */
  async function saveCursor({
    contract,
    cursor,
  }: {
    contract: WatchedContract;
    cursor: ChainCursor;
  }): Promise<void> {
    const columns = toColumns(contract);
    const { blockNumber, blockHash } = cursor;
    await database.$executeRaw`
      INSERT INTO "ChainCursor" ("chainId", "contractAddress", "blockNumber", "blockHash", "updatedAtMs")
      VALUES (${columns.chainId}, ${columns.contractAddress}, ${blockNumber}, ${blockHash}, ${BigInt(clock())})
      ON CONFLICT ("chainId", "contractAddress") DO UPDATE SET
        "blockNumber" = excluded."blockNumber", "blockHash" = excluded."blockHash",
        "updatedAtMs" = excluded."updatedAtMs"`;
  }

  return { findCursor, saveCursor };
}

function toColumns({ chainId, contractAddress }: WatchedContract) {
  return { chainId: BigInt(chainId), contractAddress: contractAddress.toLowerCase() };
}
