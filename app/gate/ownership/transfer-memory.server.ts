import type { Departure, Transfer } from "./key-transfers.gateway.server";

/** As many again may be in doubt; the oldest go first. What is forgotten may be reported once more. */
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
    /** Those that were not dealt with yet. A transfer in doubt that is met again is in doubt no more. */
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
    /** Before, a shorter chain may be that of an endpoint which lags, and which has not seen what is in doubt. */
    isDoubtOver: (lastRead: bigint): boolean => lastRead >= lastDoubtful,
    /** To be asked when the doubt is over: what had come to a wallet and has not come again since. */
    findVanishedArrivals(): Departure[] {
      const cameAgain = new Set(
        [...seen.values()]
          .filter(({ blockNumber }) => lastCertain !== null && blockNumber > lastCertain)
          .map(nameArrival),
      );
      return [...doubtful.values()]
        .filter((transfer) => !cameAgain.has(nameArrival(transfer)))
        .map(({ tokenId, to }) => ({ tokenId, holder: to }));
    },
    /** What was not seen again is gone. Should its very block come back, it is reported again. */
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

function nameArrival({ tokenId, to }: Transfer): string {
  return `${tokenId}:${to}`;
}
