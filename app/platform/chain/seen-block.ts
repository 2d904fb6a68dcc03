export type SeenBlock = {
  blockNumber: bigint;
  blockSeconds: bigint;
  /** From a header. Otherwise as called code saw it; some nodes use their own clock for that. */
  isOfHeader: boolean;
};

/** The header that a watcher has read up to. `blockSeconds` 0: not known. */
export type WatchedBlock = Pick<SeenBlock, "blockNumber" | "blockSeconds">;
