export type SeenBlock = {
  blockNumber: bigint;
  blockSeconds: bigint;
  /** As the block itself says; otherwise as code that was called saw it, for which some nodes put in their clock. */
  isOfHeader: boolean;
};
