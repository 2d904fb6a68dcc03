/**
 * Moments as text of one width, so that they compare as text and both databases can cut a list of them with substr().
 * Thirteen digits last until the year 2286.
 */
export const momentDigits = 13;

export function toMoment(atMs: number): string {
  return String(Math.max(0, Math.trunc(atMs))).padStart(momentDigits, "0");
}

/** The moments of a log, oldest first. */
export function readHits(log: string): number[] {
  const hits: number[] = [];
  for (let offset = 0; offset < log.length; offset += momentDigits) {
    hits.push(Number(log.slice(offset, offset + momentDigits)));
  }
  return hits;
}
