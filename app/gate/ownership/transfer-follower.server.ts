import type { TransferCursor, TransferReaderOptions } from "./transfer-reader.server";

/**
 * For a process that leaves reading the chain to another one: tells of the blocks that one has read. Departures are
 * in the database, where every request looks; what is remembered of the chain in this process ends with the block.
 */
export function createTransferFollower({
  load,
  onBlock,
  onReorganisation = () => {},
}: Pick<TransferReaderOptions, "onBlock" | "onReorganisation"> & {
  load: () => Promise<TransferCursor | null>;
}) {
  let last: TransferCursor | null = null;

  /** Whether somebody has read on since the look before. */
  async function look(): Promise<boolean> {
    const cursor = await load();
    if (cursor === null) return false;
    const hasMoved = last !== null && cursor.blockHash !== last.blockHash;
    const isReplaced =
      last !== null &&
      (cursor.blockNumber < last.blockNumber ||
        (cursor.blockNumber === last.blockNumber && cursor.blockHash !== last.blockHash));
    last = cursor;
    if (isReplaced) onReorganisation({ fromBlock: cursor.blockNumber });
    onBlock(cursor.blockNumber);
    return hasMoved;
  }

  return { look };
}
