import { zeroAddress } from "viem";
import type { WatchedBlock } from "~/platform/chain/seen-block";
import type { Clock } from "~/platform/time/clock";
import { isChainOutage, isRpcRefusal } from "~/platform/chain/chain-client.server";
import type { ChainCursor } from "./chain-cursor.store.server";
import { findBlock, findTransfers, keepDepartures } from "./key-transfers.gateway.server";
import type { Departed, FollowedChain, Head, Transfer } from "./key-transfers.gateway.server";

/** A chain with deeper reorganisations is not worth trusting with a key. */
const maxReorgBlocks = 64n;
/** Read again with each poll and after a start: nodes behind a load balancer may omit logs of the newest blocks. */
const overlapBlocks = 5n;
/** The following polls read the rest after a long absence. */
const maxRangesPerPoll = 50;
/** Providers allow ten to ten thousand blocks. */
const maxBlocksInRange = 2_000;
/** The cursor is saved this often even on an idle chain: other processes judge the watcher by its age. */
const cursorAgeMs = 10_000;
/** Older ones are evicted, and may then be reported again. */
const maxTransfersSeen = 50_000;

export type TransferReaderOptions = FollowedChain & {
  /** The last block read. Without one, reading begins at the newest block. */
  cursor: { load: () => Promise<ChainCursor | null>; save: (cursor: ChainCursor) => Promise<void> };
  /** May be called again for the same departure. */
  onDepartures: (departed: Departed) => Promise<void> | void;
  /** Called at each poll, before transfers up to that block are read. */
  onBlock: (block: WatchedBlock) => void;
  /** Readings of this block and later are void. */
  onReorganisation?: (fromBlock: bigint) => void;
  clock: Clock;
  log: Record<"info" | "warn", (fields: object, text: string) => void>;
};

export class TransferReader {
  private readonly options: TransferReaderOptions;
  /** Shrinks after a refusal, and grows slowly after each success. */
  private range = maxBlocksInRange;
  private readonly seen = new Map<string, Transfer>();
  /** Blocks where earlier reading ended, oldest first. A reorganisation may lead back to one. */
  private trail: ChainCursor[] = [];
  private at: ChainCursor | null = null;
  private newest = 0n;
  /** Transfers of earlier blocks are not reported. */
  private firstBlock = 0n;
  /** The saved cursor's block. Transfers up to there were read before the start, unless an endpoint omitted them. */
  private lastBlockBefore = -1n;
  private savedAtMs = -Infinity;
  private isInterrupted = false;

  constructor(options: TransferReaderOptions) {
    this.options = options;
  }

  /** The next call resumes where the last successful step ended. */
  async readOn(): Promise<void> {
    const { onBlock, clock } = this.options;
    this.isInterrupted = false;
    const head = await findBlock(this.options);
    if (!head) throw new Error("The chain has no newest block.");
    const from = this.at ?? (await this.begin(head));
    // The endpoint lags. After a reorganisation the newest block would be younger.
    if (head.blockNumber < from.blockNumber && head.blockSeconds <= from.blockSeconds) return;
    this.newest = head.blockNumber;
    onBlock(head);
    const isWhole = await this.isContinued(head, from);
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
    // Without contracts there is nothing to catch up with.
    const saved = contracts.length > 0 ? await cursor.load() : null;
    const start = saved ?? { blockNumber, blockHash, blockSeconds };
    this.firstBlock = atLeastZero(start.blockNumber + 1n - (saved ? overlapBlocks : 0n));
    if (saved) this.lastBlockBefore = saved.blockNumber;
    else await this.moveTo(start);
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
    for (const [id, transfer] of this.seen) if (transfer.blockNumber < horizon) this.seen.delete(id);
  }

  private async save(cursor: ChainCursor): Promise<void> {
    await this.options.cursor.save(cursor);
    this.savedAtMs = this.options.clock();
  }

  private async getBlock(blockNumber: bigint): Promise<ChainCursor> {
    const block = await findBlock({ ...this.options, blockNumber });
    if (block) return block;
    throw new Error(`The endpoint does not have block ${blockNumber}, though it named a later one.`);
  }

  /** Whether the last block read is still part of the chain. */
  private async isContinued(head: Head, { blockNumber, blockHash }: ChainCursor): Promise<boolean> {
    if (head.blockNumber < blockNumber)
      return (await findBlock({ ...this.options, blockNumber }))?.blockHash === blockHash;
    if (head.blockNumber === blockNumber) return head.blockHash === blockHash;
    if (head.blockNumber === blockNumber + 1n && head.parentHash === blockHash) return true;
    return (await this.getBlock(blockNumber)).blockHash === blockHash;
  }

  /** The latest block of the trail that is still part of the chain, or else `maxReorgBlocks` back. */
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
    this.lastBlockBefore = -1n;
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
      const toBlock = smaller(next + BigInt(this.range) - 1n, head.blockNumber);
      const transfers = await this.tryRange(next, toBlock);
      if (!transfers) continue;
      await this.report(transfers, head);
      next = toBlock + 1n;
      if (toBlock <= done.blockNumber) continue;
      done = toBlock === head.blockNumber ? head : await this.getBlock(toBlock);
      await this.moveTo(done);
    }
  }

  /** Null if the provider refused the range and may accept a shorter one. */
  private async tryRange(fromBlock: bigint, toBlock: bigint): Promise<Transfer[] | null> {
    try {
      const transfers = await findTransfers({ ...this.options, fromBlock, toBlock });
      this.range = Math.min(maxBlocksInRange, this.range + Math.ceil(this.range / 4));
      return transfers;
    } catch (error) {
      if (!isRpcRefusal(error) && !isChainOutage(error)) throw error;
      const isShortest = this.range === 1;
      // A timeout may mean that the range took too long, so the next poll asks for less too.
      this.range = Math.max(1, Math.floor(this.range / 2));
      if (isShortest || !isRpcRefusal(error)) throw error;
      return null;
    }
  }

  private async report(transfers: readonly Transfer[], head: Head): Promise<void> {
    const unseen = transfers.filter(({ id }) => !this.seen.has(id));
    const left = unseen.filter(({ from }) => from !== zeroAddress);
    // Many nodes keep no balances of older blocks.
    const asOf = larger(unseen.at(-1)?.blockNumber ?? 0n, head.blockNumber - maxReorgBlocks);
    const blocks = new Set(left.map(({ blockNumber }) => blockNumber));
    const rereadBlocks = [...blocks].filter((blockNumber) => blockNumber <= this.lastBlockBefore);
    for (const blockNumber of rereadBlocks) {
      const { blockSeconds } = await this.getBlock(blockNumber);
      const ofBlock = left.filter((transfer) => transfer.blockNumber === blockNumber);
      await this.reportDepartures(ofBlock, asOf, Number(blockSeconds) * 1_000);
    }
    const others = left.filter(({ blockNumber }) => blockNumber > this.lastBlockBefore);
    await this.reportDepartures(others, asOf);
    for (const transfer of unseen) this.seen.set(transfer.id, transfer);
    for (const id of this.seen.keys()) {
      if (this.seen.size <= maxTransfersSeen) break;
      this.seen.delete(id);
    }
  }

  private async reportDepartures(transfers: readonly Transfer[], block: bigint, knownSinceMs?: number) {
    if (transfers.length === 0) return;
    const departures = transfers.map(({ contract, tokenId, from }) => ({ contract, tokenId, holder: from }));
    const left = await keepDepartures({ ...this.options, departures, block });
    for (const departed of left) await this.options.onDepartures({ ...departed, knownSinceMs });
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
