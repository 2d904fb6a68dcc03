/** A token from before its key last left the holder's wallet stays revoked when the key comes back. */
export function isRevokedByDeparture(departedAtMs: number | null, issuedAtSeconds: number): boolean {
  return departedAtMs !== null && issuedAtSeconds <= Math.floor(departedAtMs / 1000);
}

/** The first second a token can bear that a departure noticed at that moment does not end. */
export function firstSecondAfter(departedAtMs: number): number {
  return Math.floor(departedAtMs / 1000) + 1;
}
