/** A token from before its key last left the holder's wallet stays revoked when the key comes back. */
export function isRevokedByDeparture({
  departedAtMs,
  issuedAtSeconds,
}: {
  departedAtMs: number | null;
  issuedAtSeconds: number;
}): boolean {
  return departedAtMs !== null && issuedAtSeconds <= Math.floor(departedAtMs / 1000);
}
