/** Nothing is known; as opposed to a script that was refused, which is a defect of ours. */
export class RedisOutage extends Error {
  override readonly name = "RedisOutage";
}

/** It loads, follows another server, is full, cannot write, does not know us, or is busy for long. */
export const outageReplies =
  /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|UNKILLABLE|WRONGPASS)\b/;
