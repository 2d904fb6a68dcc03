import { zeroAddress } from "viem";
import type { Clock } from "~/platform/clock";
import { isChainOutage, isRpcRefusal } from "~/platform/chain/chain-client.server";
import { createBlockRange } from "./block-range";
import { findBlock, findTransfers, keepDepartures } from "./key-transfers.gateway.server";
import type { Block, Departure, Head, Transfer } from "./key-transfers.gateway.server";
import type { KeyContract } from "./ownership.gateway.server";
import { createTransferMemory } from "./transfer-memory.server";

/** How far back a reorganisation is followed. Deeper ones do not happen on chains worth trusting with a key. */
const maxReorgBlocks = 64n;
/**
 * Blocks read once more with each poll, and after a start: behind a load balancer the endpoint that gives the logs may be a few
 * blocks behind the one that named the newest block, and leaves out what it has not seen without saying so.
 */
const overlapBlocks = 5n;
/** Ranges read in one poll at most; after a long absence, the rest is left to the polls that follow. */
const maxRangesPerPoll = 50;
/** A shorter chain seen this many times in a row is followed as a reorganisation; before that, an endpoint lags. */
const shorterChainPolls = 3;
/** The cursor is written at least so often, also while the chain stands still: by its age others see that all is well. */
const cursorAgeMs = 10_000;

export type TransferCursor = { blockNumber: bigint; blockHash: string };
export type TransferReaderOptions = KeyContract & {
  /** Where reading ended; without one, it begins at the newest block. */
  cursor: { load: () => Promise<TransferCursor | null>; save: (cursor: TransferCursor) => Promise<void> };
  /**
   * Keys that left a wallet, and those that had come by a block that is gone. May be called again for one when it failed,
   * for those of the last blocks before a start, and when its block was replaced.
   */
  onDepartures: (departures: readonly Departure[]) => Promise<void> | void;
  /** Called with each poll, before the transfers up to that block are read. */
  onBlock: (blockNumber: bigint) => void;
  /** What was read of the blocks from this one on is void. */
  onReorganisation?: (reorganised: { fromBlock: bigint }) => void;
  clock: Clock;
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
  onDepartures,
  onReorganisation = () => {},
  clock,
  log,
  ...contract
}: TransferReaderOptions): TransferReader {
  const { client } = contract;
  const range = createBlockRange();
  /** As far back as transfers may be met again. */
  const memory = createTransferMemory();
  /** Blocks that reading once ended at: places to go back to. Oldest first. */
  let trail: Block[] = [];
  let at: Block | null = null;
  let newest = 0n;
  /** Nothing below is reported: it was before the start. */
  let firstBlock = 0n;
  let isRecalled = false;
  let savedAtMs = -Infinity;
  let shorterSeen = 0;
  let isInterrupted = false;

  async function begin(head: Head): Promise<Block> {
    const saved = await cursor.load();
    const start: Block = saved ? { number: saved.blockNumber, hash: saved.blockHash } : head;
    firstBlock = atLeastZero(start.number + 1n - (saved ? overlapBlocks : 0n));
    if (!saved) await moveTo(start);
    at = start;
    trail = [start];
    return start;
  }

  async function moveTo(block: Block): Promise<void> {
    await save(block);
    at = block;
    const horizon = block.number - maxReorgBlocks - overlapBlocks;
    trail = [...trail.filter(({ number }) => number >= horizon && number < block.number), block];
    memory.forgetBefore(horizon);
  }

  async function save({ number, hash }: Block): Promise<void> {
    await cursor.save({ blockNumber: number, blockHash: hash });
    savedAtMs = clock();
  }

  /** What was dealt with before the start is known again: a reorganisation may remove it. */
  async function recall(start: Block): Promise<void> {
    let next = atLeastZero(start.number - maxReorgBlocks);
    while (next < firstBlock) {
      const end = next + range.size();
      const transfers = await tryRange(next, (end < firstBlock ? end : firstBlock) - 1n);
      if (!transfers) continue;
      memory.note(transfers);
      next = end;
    }
  }

  async function getBlock(blockNumber: bigint): Promise<Block> {
    const block = await findBlock({ client, blockNumber });
    if (!block)
      throw new Error(`The endpoint does not have block ${blockNumber}, though it named a later one.`);
    return block;
  }

  /** Whether the chain still holds the block that reading ended at. */
  async function isContinued(head: Head, from: Block): Promise<boolean> {
    if (head.number < from.number)
      return (await findBlock({ client, blockNumber: from.number }))?.hash === from.hash;
    if (head.number === from.number) return head.hash === from.hash;
    const isNext = head.number === from.number + 1n;
    return (isNext && head.parentHash === from.hash) || (await getBlock(from.number)).hash === from.hash;
  }

  /** The latest place of the trail that is still part of the chain, or the block `maxReorgBlocks` back. */
  async function findWayBack(head: Head, from: Block): Promise<Block> {
    for (const block of trail.toReversed()) {
      if (block.number > head.number || block.hash === from.hash) continue;
      if ((await getBlock(block.number)).hash === block.hash) return block;
    }
    const highest = head.number < from.number ? head.number : from.number;
    return await getBlock(atLeastZero(highest - maxReorgBlocks));
  }

  async function followReorganisation(head: Head, from: Block): Promise<Block> {
    const back = await findWayBack(head, from);
    log.warn(
      { fromBlock: Number(back.number), toBlock: Number(head.number) },
      "The chain was reorganised; its latest blocks are read again.",
    );
    memory.doubtAfter(back.number, from.number);
    if (back.number < firstBlock) firstBlock = back.number + 1n;
    await moveTo(back);
    onReorganisation({ fromBlock: back.number + 1n });
    return back;
  }

  async function report(transfers: readonly Transfer[], head: Head): Promise<void> {
    const unseen = memory.findUnseen(transfers);
    const newest = unseen.at(-1)?.blockNumber ?? 0n;
    const departures = unseen.map(({ tokenId, from }) => ({ tokenId, holder: from }));
    // Of older blocks many nodes keep no balances.
    const kept = head.number - maxReorgBlocks;
    await tell(departures, newest > kept ? newest : kept);
    memory.note(unseen);
  }

  async function tell(departures: Departure[], block: bigint): Promise<void> {
    const ofWallets = departures.filter(({ holder }) => holder !== zeroAddress);
    if (ofWallets.length === 0) return;
    const left = await keepDepartures({ ...contract, departures: ofWallets, block });
    if (left.length > 0) await onDepartures(left);
  }

  /** Null when the provider refused a range that could be shorter. */
  async function tryRange(fromBlock: bigint, toBlock: bigint): Promise<Transfer[] | null> {
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

  async function readRanges(head: Head, from: Block): Promise<void> {
    let done = from;
    const again = done.number + 1n - overlapBlocks;
    let next = again > firstBlock ? again : firstBlock;
    for (let count = 0; done.number < head.number && count < maxRangesPerPoll && !isInterrupted; count++) {
      const end = next + range.size() - 1n;
      const toBlock = end < head.number ? end : head.number;
      const transfers = await tryRange(next, toBlock);
      if (!transfers) continue;
      await report(transfers, head);
      next = toBlock + 1n;
      if (toBlock <= done.number) continue;
      done = toBlock === head.number ? head : await getBlock(toBlock);
      await moveTo(done);
    }
    if (done.number < head.number || !memory.isDoubtOver(done.number)) return;
    await tell(memory.findVanishedArrivals(), head.number);
    memory.endDoubt();
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
    const isWhole = await isContinued(head, from);
    if (isWhole && !isRecalled) await recall(from);
    isRecalled = true;
    await readRanges(head, isWhole ? from : await followReorganisation(head, from));
    if (at && clock() - savedAtMs >= cursorAgeMs) await save(at);
  }

  return {
    readOn,
    interrupt: () => void (isInterrupted = true),
    blockNumber: () => at?.number ?? null,
    blocksBehind: () => (at && newest > at.number ? newest - at.number : 0n),
  };
}

function atLeastZero(blockNumber: bigint): bigint {
  return blockNumber > 0n ? blockNumber : 0n;
}
