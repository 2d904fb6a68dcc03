export type SeenBlock = {
  blockNumber: bigint;
  blockSeconds: bigint;
  /** From a header. Otherwise as called code saw it; some nodes use their own clock for that. */
  isOfHeader: boolean;
};
