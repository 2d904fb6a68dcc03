import { latencyBucketCount, latencyBucketOf } from "./latency-buckets";

/** What is counted by the minute and the hour. A series' name is the part before the colon and what it is about. */
export const latencyGroups = ["gate", "rest"] as const;
export type LatencyGroup = (typeof latencyGroups)[number];

export const tokenSeries = "tokens";

export function grantSeries(proof: string): string {
  return `grant:${proof}`;
}

export function refusalSeries(slug: string): string {
  return `refusal:${slug}`;
}

/** How long these take is up to the answer, to the reader or to nobody's patience: their length tells nothing. */
const untimedRoutes = new Set([
  "/api/chat",
  "/api/tts",
  "/api/mcp",
  "/media/:tokenId/*",
  "/healthz",
  "/readyz",
]);

const gateRoutes = new Set(["/api/gate-access", "/session"]);

/** Made once: a name is needed for every request there is. */
const latencySeriesNames = Object.fromEntries(
  latencyGroups.map((group) => [
    group,
    Array.from({ length: latencyBucketCount }, (_, index) => `latency:${group}:${index}`),
  ]),
) as Record<LatencyGroup, string[]>;

/** Null for what is not timed. `route` is the pattern. */
export function findLatencySeries({
  route,
  durationSeconds,
}: {
  route: string;
  durationSeconds: number;
}): string | null {
  if (untimedRoutes.has(route)) return null;
  const names = latencySeriesNames[gateRoutes.has(route) ? "gate" : "rest"];
  return names[latencyBucketOf(durationSeconds * 1000)] ?? null;
}

/** The histogram's place of a latency series; null for other series. */
export function readLatencySeries(series: string): { group: LatencyGroup; bucket: number } | null {
  const [, group, bucket] = /^latency:(gate|rest):(\d+)$/.exec(series) ?? [];
  return group ? { group: group as LatencyGroup, bucket: Number(bucket) } : null;
}
