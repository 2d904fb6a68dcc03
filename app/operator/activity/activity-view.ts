import type { Count } from "./buffers";

export const activitySpans = [
  { name: "hour", label: "Last hour", spanSeconds: 60, stepMs: 60_000, steps: 60 },
  { name: "day", label: "Last day", spanSeconds: 60, stepMs: 900_000, steps: 96 },
  { name: "week", label: "Last week", spanSeconds: 3_600, stepMs: 7_200_000, steps: 84 },
  { name: "month", label: "Last 30 days", spanSeconds: 3_600, stepMs: 28_800_000, steps: 90 },
] as const;
export type ActivitySpan = (typeof activitySpans)[number];

/** A day by default; null for an unknown name. */
export function findActivitySpan(name: string | null): ActivitySpan | null {
  return activitySpans.find((span) => span.name === (name ?? "day")) ?? null;
}

export type ActivityView = ReturnType<typeof viewActivity>;
export type ActivityPoint = ActivityView["points"][number];

const slugsByName = 4;
const other = "other";

/** Whole steps, up to the one that contains `nowMs`. */
export function activityRange(span: ActivitySpan, nowMs: number) {
  const lastStartMs = nowMs - (nowMs % span.stepMs);
  return { sinceMs: lastStartMs - (span.steps - 1) * span.stepMs, untilMs: lastStartMs + span.stepMs };
}

/** One point for each step. `slugs`: the most frequent refusals, and "other" for the rest. */
export function viewActivity(span: ActivitySpan, nowMs: number, counts: readonly Count[]) {
  const { sinceMs } = activityRange(span, nowMs);
  const slugs = findSlugs(counts);
  const steps = Array.from({ length: span.steps }, (): Count[] => []);
  for (const count of counts) steps[Math.floor((count.startMs - sinceMs) / span.stepMs)]?.push(count);
  const points = steps.map((own, index) => toPoint(sinceMs + index * span.stepMs, own, slugs));
  return { span: span.name, points, slugs };
}

function findSlugs(counts: readonly Count[]): string[] {
  const sums = new Map<string, number>();
  for (const { series, amount } of counts) {
    const slug = readSlug(series);
    if (slug !== null) sums.set(slug, (sums.get(slug) ?? 0) + amount);
  }
  const all = [...sums].sort(([one, left], [two, right]) => right - left || (one < two ? -1 : 1));
  const named = all.slice(0, slugsByName).map(([slug]) => slug);
  return all.length > slugsByName ? [...named, other] : named;
}

function toPoint(startMs: number, counts: readonly Count[], slugs: readonly string[]) {
  const refused: Record<string, number> = Object.fromEntries(slugs.map((slug) => [slug, 0]));
  const histograms = { gate: new Map<number, number>(), rest: new Map<number, number>() };
  let granted = 0;
  let tokens = 0;
  for (const { series, amount } of counts) {
    const slug = readSlug(series);
    const latency = readLatencySeries(series);
    if (slug !== null) {
      const name = slugs.includes(slug) ? slug : other;
      refused[name] = (refused[name] ?? 0) + amount;
    } else if (latency) {
      const histogram = histograms[latency.group];
      histogram.set(latency.bucket, (histogram.get(latency.bucket) ?? 0) + amount);
    } else if (series === tokenSeries) tokens += amount;
    else if (series.startsWith("grant:")) granted += amount;
  }
  const latencyOf = (group: LatencyGroup) => ({
    p50: quantileMs(histograms[group], 0.5),
    p95: quantileMs(histograms[group], 0.95),
  });
  return { startMs, granted, refused, tokens, latency: { gate: latencyOf("gate"), rest: latencyOf("rest") } };
}

function readSlug(series: string): string | null {
  return series.startsWith("refusal:") ? series.slice("refusal:".length) : null;
}

/** Counted by the minute and the hour: "tokens", "grant:<proof>", "refusal:<slug>", "latency:<group>:<bucket>". */
export const tokenSeries = "tokens";

export type LatencyGroup = "gate" | "rest";

/** Their duration depends on the reply or the reader, or doesn't matter. */
const untimedRoutes = new Set([
  "/api/chat",
  "/api/tts",
  "/api/mcp",
  "/media/:tokenId/*",
  "/healthz",
  "/readyz",
]);

const gateRoutes = new Set(["/api/gate-access", "/session"]);

/** Null for untimed routes. `route` is the pattern. */
export function findLatencySeries(request: { route: string; durationSeconds: number }): string | null {
  if (untimedRoutes.has(request.route)) return null;
  const group: LatencyGroup = gateRoutes.has(request.route) ? "gate" : "rest";
  return `latency:${group}:${latencyBucketOf(request.durationSeconds * 1000)}`;
}

function readLatencySeries(series: string): { group: LatencyGroup; bucket: number } | null {
  const [, group, bucket] = /^latency:(gate|rest):(\d+)$/.exec(series) ?? [];
  return group ? { group: group as LatencyGroup, bucket: Number(bucket) } : null;
}

/** The first bucket ends at 0.1 ms, and each further one a quarter later, up to a minute. */
const firstEndMs = 0.1;
const growth = 1.25;

/** The last one is unbounded. */
const latencyBucketCount = 62;

export function latencyBucketOf(durationMs: number): number {
  if (!(durationMs > firstEndMs)) return 0;
  // Slightly less, so that a bucket's own end isn't rounded into the next one.
  const index = Math.ceil(Math.log(durationMs / firstEndMs) / Math.log(growth) - 1e-9);
  return Math.min(index, latencyBucketCount - 1);
}

export function latencyBucketEndMs(bucket: number): number {
  return firstEndMs * growth ** bucket;
}

/** The upper end of the quantile's bucket, so never below the real value. Null without counts. */
export function quantileMs(counts: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [bucket, count] of [...counts].sort(([left], [right]) => left - right)) {
    seen += count;
    if (seen >= share * total) return latencyBucketEndMs(bucket);
  }
  return null;
}
