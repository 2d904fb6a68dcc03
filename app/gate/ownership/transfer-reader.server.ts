import type { Address } from "viem";
import { isChainOutage, isRpcRefusal } from "~/platform/chain/chain-client.server";
import { createBlockRange } from "./block-range";
import { findBlock, findTransfers, keepDepartures } from "./key-transfers.gateway.server";
import type { Block, Head, Transfer } from "./key-transfers.gateway.server";
import type { KeyContract } from "./ownership.gateway.server";

/** How far back a reorganisation is followed. Deeper ones do not happen on chains worth trusting with a key. */
const maxReorgBlocks = 64n;
/**
 * Blocks read once more with each poll: behind a load balancer the endpoint that gives the logs may be a few
 * blocks behind the one that named the newest block, and leaves out what it has not seen without saying so.
 */
const overlapBlocks = 5n;
/** Ranges read in one poll at most; after a long absence, the rest is left to the polls that follow. */
const maxRangesPerPoll = 50;
/** A shorter chain seen this many times in a row is a reorganisation; before that, an endpoint that lags. */
const shorterChainPolls = 3;

export type TransferCursor = { blockNumber: bigint; blockHash: string };
export type TransferReaderOptions = KeyContract & {
  /** Where reading ended; without one, it begins at the newest block. */
  cursor: { load: () => Promise<TransferCursor | null>; save: (cursor: TransferCursor) => Promise<void> };
  /** May be called again for a departure when it failed, after a crash, and when its block was replaced. */
  onDeparture: (departure: { tokenId: string; from: Address; blockNumber: bigint }) => Promise<void> | void;
  /** Called with each poll, before the transfers up to that block are read. */
  onBlock: (blockNumber: bigint) => void;
  /** What was read of the blocks from this one on is void. */
  onReorganisation?: (reorganised: { fromBlock: bigint }) => void;
  log: {
    info: (fields: object, text: string) => void;
    warn: (fields: object, text: string) => void;
  };
};
export type TransferReader = {
  /** Reads what is new. Rejects when that failed; the next call takes up where the last good step ended. */
  readOn: () => Promise<void>;
  /** Ends a long reading after the range it is at. */
  interrupt: () => void;
  blockNumber: () => bigint | null;
  blocksBehind: () => bigint;
};

/** Follows the chain from the cursor to its newest block, through reorganisations, and reports departures. */
export function createTransferReader({
  cursor,
  onBlock,
  onDeparture,
  onReorganisation = () => {},
  log,
  ...contract
}: TransferReaderOptions): TransferReader {
  const { client } = contract;
  const range = createBlockRange();
  /** Transfers that were dealt with, and their block; as far back as they may be met again. */
  const seen = new Map<string, bigint>();
  /** Of those, the ones in blocks that a reorganisation may have removed, until the blocks are read again. */
  const doubtful = new Set<string>();
  /** Blocks that reading once ended at: places to go back to. Oldest first. */
  let trail: Block[] = [];
  let at: Block | null = null;
  let newest = 0n;
  /** Nothing below is read a second time: what was reported there before the start is not known any more. */
  let firstBlock = 0n;
  let shorterSeen = 0;
  let isInterrupted = false;

  async function begin(head: Head): Promise<Block> {
    const saved = await cursor.load();
    const start: Block = saved ? { number: saved.blockNumber, hash: saved.blockHash } : head;
    firstBlock = start.number + 1n;
    if (!saved) await moveTo(start);
    at = start;
    trail = [start];
    return start;
  }

  async function moveTo(block: Block): Promise<void> {
    await cursor.save({ blockNumber: block.number, blockHash: block.hash });
    at = block;
    const horizon = block.number - maxReorgBlocks - overlapBlocks;
    trail = [...trail.filter(({ number }) => number >= horizon && number < block.number), block];
    for (const [id, blockNumber] of seen) if (blockNumber < horizon) seen.delete(id);
  }

  async function getBlock(blockNumber: bigint): Promise<Block> {
    const block = await findBlock({ client, blockNumber });
    if (!block)
      throw new Error(`The endpoint does not have block ${blockNumber}, though it named a later one.`);
    return block;
  }

  /** Whether the chain still holds the block that reading ended at. */
  async function isContinued({ head, from }: { head: Head; from: Block }): Promise<boolean> {
    if (head.number < from.number)
      return (await findBlock({ client, blockNumber: from.number }))?.hash === from.hash;
    if (head.number === from.number) return head.hash === from.hash;
    const isNext = head.number === from.number + 1n;
    return (isNext && head.parentHash === from.hash) || (await getBlock(from.number)).hash === from.hash;
  }

  /** The latest place of the trail that is still part of the chain, or the block `maxReorgBlocks` back. */
  async function findWayBack({ head, from }: { head: Head; from: Block }): Promise<Block> {
    for (const block of trail.toReversed()) {
      if (block.number > head.number || block.hash === from.hash) continue;
      if ((await getBlock(block.number)).hash === block.hash) return block;
    }
    const highest = head.number < from.number ? head.number : from.number;
    return await getBlock(highest > maxReorgBlocks ? highest - maxReorgBlocks : 0n);
  }

  async function followReorganisation({ head, from }: { head: Head; from: Block }): Promise<Block> {
    const back = await findWayBack({ head, from });
    log.warn(
      { fromBlock: Number(back.number), toBlock: Number(head.number) },
      "The chain was reorganised; its latest blocks are read again.",
    );
    for (const [id, blockNumber] of seen) {
      if (blockNumber > back.number && seen.delete(id)) doubtful.add(id);
    }
    if (back.number < firstBlock) firstBlock = back.number + 1n;
    await moveTo(back);
    onReorganisation({ fromBlock: back.number + 1n });
    return back;
  }

  async function report(transfers: readonly Transfer[]): Promise<void> {
    for (const { id, blockNumber } of transfers) if (doubtful.delete(id)) seen.set(id, blockNumber);
    const unseen = transfers.filter(({ id }) => !seen.has(id));
    const departures = await keepDepartures({ ...contract, transfers: unseen });
    for (const transfer of unseen) {
      const { id, tokenId, from, blockNumber } = transfer;
      if (departures.includes(transfer)) await onDeparture({ tokenId, from, blockNumber });
      seen.set(id, blockNumber);
    }
  }

  /** Null when the provider refused a range that could be shorter. */
  async function tryRange({
    fromBlock,
    toBlock,
  }: {
    fromBlock: bigint;
    toBlock: bigint;
  }): Promise<Transfer[] | null> {
    try {
      const transfers = await findTransfers({ ...contract, fromBlock, toBlock });
      range.noteSuccess();
      return transfers;
    } catch (error) {
      if (!isRpcRefusal(error) && !isChainOutage(error)) throw error;
      const isShortest = range.size() === 1n;
      // Silence may mean that the range took too long; the next poll asks for less as well.
      range.noteRefusal();
      if (isShortest || !isRpcRefusal(error)) throw error;
      return null;
    }
  }

  async function readRanges({ head, from }: { head: Head; from: Block }): Promise<void> {
    let done = from;
    for (let count = 0; done.number < head.number && count < maxRangesPerPoll && !isInterrupted; count++) {
      const size = range.size();
      const again = size > 2n * overlapBlocks ? done.number + 1n - overlapBlocks : done.number + 1n;
      const fromBlock = again > firstBlock ? again : firstBlock;
      const end = fromBlock + size - 1n;
      const toBlock = end < head.number ? end : head.number;
      const transfers = await tryRange({ fromBlock, toBlock });
      if (!transfers) continue;
      await report(transfers);
      done = toBlock === head.number ? head : await getBlock(toBlock);
      await moveTo(done);
    }
    // What was not met again is gone. Should its very block come back, it is news.
    if (done.number >= head.number) doubtful.clear();
  }

  async function readOn(): Promise<void> {
    isInterrupted = false;
    const head = await findBlock({ client });
    if (!head) throw new Error("The chain has no newest block.");
    const from = at ?? (await begin(head));
    shorterSeen = head.number < from.number ? shorterSeen + 1 : 0;
    if (shorterSeen > 0 && shorterSeen < shorterChainPolls) return;
    newest = head.number;
    onBlock(head.number);
    const start = (await isContinued({ head, from })) ? from : await followReorganisation({ head, from });
    await readRanges({ head, from: start });
  }

  return {
    readOn,
    interrupt: () => void (isInterrupted = true),
    blockNumber: () => at?.number ?? null,
    blocksBehind: () => (at && newest > at.number ? newest - at.number : 0n),
  };
}
