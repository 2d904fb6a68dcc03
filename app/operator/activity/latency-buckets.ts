/** Upper ends of the buckets in milliseconds: each is a quarter longer than the last, from 0.1 ms to a minute. */
const firstEndMs = 0.1;
const growth = 1.25;

/** The last one takes whatever is longer. */
export const latencyBucketCount = 62;

export function latencyBucketOf(durationMs: number): number {
  if (!(durationMs > firstEndMs)) return 0;
  // A hair less, so that a bucket's own end is not rounded into the next one.
  const index = Math.ceil(Math.log(durationMs / firstEndMs) / Math.log(growth) - 1e-9);
  return Math.min(index, latencyBucketCount - 1);
}

export function latencyBucketEndMs(bucket: number): number {
  return firstEndMs * growth ** bucket;
}

/**
 * The upper end of the bucket in which the share lies: at most a quarter more than the real figure, and never less.
 * Null where nothing was counted. `counts` by bucket.
 */
export function quantileMs(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [bucket, count] of [...counts].sort(([left], [right]) => left - right)) {
    seen += count;
    if (seen >= share * total) return latencyBucketEndMs(bucket);
  }
  return null;
}
