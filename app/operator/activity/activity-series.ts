/** What is counted by the minute and the hour: "tokens", "grant:<proof>", "refusal:<slug>", "latency:<group>:<bucket>". */
export const tokenSeries = "tokens";

export type LatencyGroup = "gate" | "rest";

/** The duration of these depends on the answer's length or on the reader, or is of no interest. */
const untimedRoutes = new Set([
  "/api/chat",
  "/api/tts",
  "/api/mcp",
  "/media/:tokenId/*",
  "/healthz",
  "/readyz",
]);

const gateRoutes = new Set(["/api/gate-access", "/session"]);

/** Null for what is not timed. `route` is the pattern. */
export function findLatencySeries(request: { route: string; durationSeconds: number }): string | null {
  if (untimedRoutes.has(request.route)) return null;
  const group: LatencyGroup = gateRoutes.has(request.route) ? "gate" : "rest";
  return `latency:${group}:${latencyBucketOf(request.durationSeconds * 1000)}`;
}

/** Null for other series. */
export function readLatencySeries(series: string): { group: LatencyGroup; bucket: number } | null {
  const [, group, bucket] = /^latency:(gate|rest):(\d+)$/.exec(series) ?? [];
  return group ? { group: group as LatencyGroup, bucket: Number(bucket) } : null;
}

/** Buckets end at 0.1 ms and then each a quarter later, up to a minute. */
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

/** The upper end of the bucket in which the quantile lies: never below the real one. Null where nothing was counted. */
export function quantileMs(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of [...counts].sort(([left], [right]) => left - right)) {
    seen += count;
    if (seen >= share * total) return latencyBucketEndMs(bucket);
  }
  return null;
}
