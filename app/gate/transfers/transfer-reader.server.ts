import { zeroAddress } from "viem";
import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import { isChainOutage, isRpcRefusal } from "~/platform/chain/chain-client.server";
import { createBlockRange } from "./block-range";
import type { ChainCursor } from "./chain-cursor.store.server";
import { findBlock, findTransfers, keepDepartures } from "./key-transfers.gateway.server";
import type { Departed, Departure, FollowedChain, Head, Transfer } from "./key-transfers.gateway.server";
import { createTransferMemory } from "./transfer-memory.server";

/** Deeper reorganisations do not happen on chains worth trusting with a key. */
const maxReorgBlocks = 64n;
/** Read once more with each poll and after a start: behind a load balancer, logs may omit the newest blocks. */
const overlapBlocks = 5n;
/** After a long absence the rest is left to the polls that follow. */
const maxRangesPerPoll = 50;
/** The cursor is written at least so often, also while the chain stands still: others judge the watcher by its age. */
const cursorAgeMs = 10_000;

export type TransferReaderOptions = FollowedChain & {
  /** Where reading ended; without one, it begins at the newest block. */
  cursor: { load: () => Promise<ChainCursor | null>; save: (cursor: ChainCursor) => Promise<void> };
  /** Left, or come by a block that is gone. May be called again for the same one. */
  onDepartures: (departed: Departed) => Promise<void> | void;
  /** Called with each poll, before the transfers up to that block are read. */
  onBlock: (block: WatchedBlock) => void;
  /** Readings of this block and later ones are void. */
  onReorganisation?: (fromBlock: bigint) => void;
  clock: Clock;
  log: Record<"info" | "warn", (fields: object, text: string) => void>;
};

export class TransferReader {
  private readonly options: TransferReaderOptions;
  private readonly range = createBlockRange();
  private readonly memory = createTransferMemory();
  /** Blocks that reading once ended at, to which it may go back. Oldest first. */
  private trail: ChainCursor[] = [];
  private at: ChainCursor | null = null;
  private newest = 0n;
  /** Nothing below is reported: it was before the start. */
  private firstBlock = 0n;
  private isRecalled = false;
  private savedAtMs = -Infinity;
  private isInterrupted = false;

  constructor(options: TransferReaderOptions) {
    this.options = options;
  }

  /** Reads what is new. Rejects when that failed; the next call resumes where the last good step ended. */
  async readOn(): Promise<void> {
    const { onBlock, clock } = this.options;
    this.isInterrupted = false;
    const head = await findBlock(this.options);
    if (!head) throw new Error("The chain has no newest block.");
    const from = this.at ?? (await this.begin(head));
    // An endpoint lags. After a reorganisation the newest block is younger, whatever its number.
    if (head.blockNumber < from.blockNumber && head.blockSeconds <= from.blockSeconds) return;
    this.newest = head.blockNumber;
    onBlock(head);
    const isWhole = await this.isContinued(head, from);
    if (isWhole && !this.isRecalled) await this.recall(from);
    this.isRecalled = true;
    await this.readRanges(head, isWhole ? from : await this.followReorganisation(head, from));
    if (this.at && clock() - this.savedAtMs >= cursorAgeMs) await this.save(this.at);
  }

  interrupt(): void {
    this.isInterrupted = true;
  }

  blockNumber(): bigint | null {
    return this.at?.blockNumber ?? null;
  }

  blocksBehind(): bigint {
    return this.at ? atLeastZero(this.newest - this.at.blockNumber) : 0n;
  }

  private async begin({ blockNumber, blockHash, blockSeconds }: Head): Promise<ChainCursor> {
    const { contracts, cursor } = this.options;
    // Where no contract is followed, there is nothing to catch up with.
    const saved = contracts.length > 0 ? await cursor.load() : null;
    const start = saved ?? { blockNumber, blockHash, blockSeconds };
    this.firstBlock = atLeastZero(start.blockNumber + 1n - (saved ? overlapBlocks : 0n));
    if (!saved) await this.moveTo(start);
    this.at = start;
    this.trail = [start];
    return start;
  }

  private async moveTo({ blockNumber, blockHash, blockSeconds }: ChainCursor): Promise<void> {
    const block = { blockNumber, blockHash, blockSeconds };
    await this.save(block);
    this.at = block;
    const horizon = blockNumber - maxReorgBlocks - overlapBlocks;
    const kept = this.trail.filter((one) => one.blockNumber >= horizon && one.blockNumber < blockNumber);
    this.trail = [...kept, block];
    this.memory.forgetBefore(horizon);
  }

  private async save(cursor: ChainCursor): Promise<void> {
    await this.options.cursor.save(cursor);
    this.savedAtMs = this.options.clock();
  }

  /** Restores transfers that were handled before the start: a reorganisation may remove them. */
  private async recall(start: ChainCursor): Promise<void> {
    let next = atLeastZero(start.blockNumber - maxReorgBlocks);
    while (next < this.firstBlock) {
      const end = smaller(next + this.range.size(), this.firstBlock);
      const transfers = await this.tryRange(next, end - 1n);
      if (!transfers) continue;
      this.memory.note(transfers);
      next = end;
    }
  }

  private async getBlock(blockNumber: bigint): Promise<ChainCursor> {
    const block = await findBlock({ ...this.options, blockNumber });
    if (block) return block;
    throw new Error(`The endpoint does not have block ${blockNumber}, though it named a later one.`);
  }

  /** Whether the chain still holds the block that reading ended at. */
  private async isContinued(head: Head, { blockNumber, blockHash }: ChainCursor): Promise<boolean> {
    if (head.blockNumber < blockNumber)
      return (await findBlock({ ...this.options, blockNumber }))?.blockHash === blockHash;
    if (head.blockNumber === blockNumber) return head.blockHash === blockHash;
    if (head.blockNumber === blockNumber + 1n && head.parentHash === blockHash) return true;
    return (await this.getBlock(blockNumber)).blockHash === blockHash;
  }

  /** The latest block of the trail that is still part of the chain, or the block `maxReorgBlocks` back. */
  private async findWayBack(head: Head, from: ChainCursor): Promise<ChainCursor> {
    for (const block of this.trail.toReversed()) {
      if (block.blockNumber > head.blockNumber || block.blockHash === from.blockHash) continue;
      if ((await this.getBlock(block.blockNumber)).blockHash === block.blockHash) return block;
    }
    return await this.getBlock(atLeastZero(smaller(head.blockNumber, from.blockNumber) - maxReorgBlocks));
  }

  private async followReorganisation(head: Head, from: ChainCursor): Promise<ChainCursor> {
    const { log, onReorganisation, onBlock } = this.options;
    const back = await this.findWayBack(head, from);
    log.warn(
      { fromBlock: Number(back.blockNumber), toBlock: Number(head.blockNumber) },
      "chain reorganised; latest blocks are read again",
    );
    this.memory.doubtAfter(back.blockNumber, from.blockNumber);
    if (back.blockNumber < this.firstBlock) this.firstBlock = back.blockNumber + 1n;
    await this.moveTo(back);
    onReorganisation?.(back.blockNumber + 1n);
    onBlock(head);
    return back;
  }

  private async readRanges(head: Head, from: ChainCursor): Promise<void> {
    let done = from;
    let next = larger(done.blockNumber + 1n - overlapBlocks, this.firstBlock);
    for (let count = 0; count < maxRangesPerPoll && !this.isInterrupted; count++) {
      if (done.blockNumber >= head.blockNumber) break;
      const toBlock = smaller(next + this.range.size() - 1n, head.blockNumber);
      const transfers = await this.tryRange(next, toBlock);
      if (!transfers) continue;
      await this.report(transfers, head);
      next = toBlock + 1n;
      if (toBlock <= done.blockNumber) continue;
      done = toBlock === head.blockNumber ? head : await this.getBlock(toBlock);
      await this.moveTo(done);
    }
    if (done.blockNumber < head.blockNumber || !this.memory.isDoubtOver(done.blockNumber)) return;
    await this.reportLeft(this.memory.findVanishedArrivals(), head.blockNumber);
    this.memory.endDoubt();
  }

  /** Null when the provider refused a range that could be shorter. */
  private async tryRange(fromBlock: bigint, toBlock: bigint): Promise<Transfer[] | null> {
    const { range } = this;
    try {
      const transfers = await findTransfers({ ...this.options, fromBlock, toBlock });
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

  private async report(transfers: readonly Transfer[], head: Head): Promise<void> {
    const unseen = this.memory.findUnseen(transfers);
    const departures = unseen.map(({ contract, tokenId, from }) => ({ contract, tokenId, holder: from }));
    // Of older blocks many nodes keep no balances.
    await this.reportLeft(
      departures,
      larger(unseen.at(-1)?.blockNumber ?? 0n, head.blockNumber - maxReorgBlocks),
    );
    this.memory.note(unseen);
  }

  private async reportLeft(departures: Departure[], block: bigint): Promise<void> {
    const ofWallets = departures.filter(({ holder }) => holder !== zeroAddress);
    if (ofWallets.length === 0) return;
    const left = await keepDepartures({ ...this.options, departures: ofWallets, block });
    for (const departed of left) await this.options.onDepartures(departed);
  }
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function atLeastZero(blockNumber: bigint): bigint {
  return larger(blockNumber, 0n);
}
