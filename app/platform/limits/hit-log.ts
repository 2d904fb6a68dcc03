/** Timestamps have one width, so that both databases can compare them as text and cut lists of them with substr(). */
export const momentDigits = 13;

export function toMoment(atMs: number): string {
  return String(Math.max(0, Math.trunc(atMs))).padStart(momentDigits, "0");
}

/** Oldest first. */
export function readHits(log: string): number[] {
  const hits: number[] = [];
  for (let offset = 0; offset < log.length; offset += momentDigits) {
    hits.push(Number(log.slice(offset, offset + momentDigits)));
  }
  return hits;
}
