/** The outcome is unknown. A refused script is a defect of ours instead. */
export class RedisOutage extends Error {
  override readonly name = "RedisOutage";
}

/** Redis loads, follows another server, is full, can't write, doesn't know us, or is busy for long. */
export const outageReplies =
  /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|UNKILLABLE|WRONGPASS)\b/;
