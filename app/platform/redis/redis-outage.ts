/**
 * Redis could not be asked, or did not answer in time, so that nothing is known; as opposed to a script that was
 * refused, which is a defect of ours.
 */
export class RedisOutage extends Error {
  override readonly name = "RedisOutage";
}

/**
 * What Redis answers while it cannot do its work: it loads its data, follows another server, has no memory left, cannot
 * write to its disk, does not know us, or is busy with something that takes long.
 */
const outageReplies =
  /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|UNKILLABLE|WRONGPASS)\b/;

export function isOutageReply(message: string): boolean {
  return outageReplies.test(message);
}
