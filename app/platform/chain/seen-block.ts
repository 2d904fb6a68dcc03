export type SeenBlock = {
  blockNumber: bigint;
  blockSeconds: bigint;
  /** As the block itself says; otherwise as code that was called saw it, for which some nodes put in their clock. */
  isOfHeader: boolean;
};

/** The header that a watcher has read up to. `blockSeconds` 0: not known. */
export type WatchedBlock = Pick<SeenBlock, "blockNumber" | "blockSeconds">;
