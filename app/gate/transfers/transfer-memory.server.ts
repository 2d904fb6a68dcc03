import type { Departure, Transfer } from "./key-transfers.gateway.server";

/** And as many in doubt; the oldest are evicted first, and may then be reported again. */
const maxTransfers = 50_000;

export function createTransferMemory() {
  const seen = new Map<string, Transfer>();
  /** Those in blocks that are gone, until the blocks in their place have been read. */
  const doubtful = new Map<string, Transfer>();
  /** The last block before the ones in doubt. */
  let lastCertain: bigint | null = null;
  let lastDoubtful = -1n;

  function note(transfers: readonly Transfer[]): void {
    for (const transfer of transfers) keep(transfer, seen);
  }

  return {
    note,
    /** Transfers not seen before. One in doubt that is seen again is confirmed. */
    findUnseen(transfers: readonly Transfer[]): Transfer[] {
      note(transfers.filter(({ id }) => doubtful.delete(id)));
      return transfers.filter(({ id }) => !seen.has(id));
    },
    forgetBefore(blockNumber: bigint): void {
      for (const [id, transfer] of seen) if (transfer.blockNumber < blockNumber) seen.delete(id);
    },
    /** The blocks after the one, up to the other, may be gone. */
    doubtAfter(blockNumber: bigint, lastRead: bigint): void {
      if (lastRead > lastDoubtful) lastDoubtful = lastRead;
      if (lastCertain === null || blockNumber < lastCertain) lastCertain = blockNumber;
      for (const [id, transfer] of seen) {
        if (transfer.blockNumber > blockNumber && seen.delete(id)) keep(transfer, doubtful);
      }
    },
    /** Until then, a shorter chain may be that of a lagging endpoint, which lacks the blocks in doubt. */
    isDoubtOver: (lastRead: bigint): boolean => lastRead >= lastDoubtful,
    /** Called when the replaced blocks have been read: arrivals that did not appear again. */
    findVanishedArrivals(): Departure[] {
      const cameAgain = new Set(
        [...seen.values()]
          .filter(({ blockNumber }) => lastCertain !== null && blockNumber > lastCertain)
          .map(nameArrival),
      );
      return [...doubtful.values()]
        .filter((transfer) => !cameAgain.has(nameArrival(transfer)))
        .map(({ contract, tokenId, to }) => ({ contract, tokenId, holder: to }));
    },
    /** Drops what did not appear again. If its block returns, it is reported again. */
    endDoubt(): void {
      doubtful.clear();
      lastCertain = null;
      lastDoubtful = -1n;
    },
  };
}

function keep(transfer: Transfer, among: Map<string, Transfer>): void {
  among.set(transfer.id, transfer);
  const oldest = among.keys().next();
  if (among.size > maxTransfers && !oldest.done) among.delete(oldest.value);
}

function nameArrival({ contract, tokenId, to }: Transfer): string {
  return `${contract.contractAddress}:${tokenId}:${to}`;
}
