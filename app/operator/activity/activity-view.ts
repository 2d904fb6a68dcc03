import { quantileMs, readLatencySeries, tokenSeries } from "./activity-series";
import type { LatencyGroup } from "./activity-series";
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

/** The whole steps up to and with the one that `nowMs` is in. */
export function activityRange(span: ActivitySpan, nowMs: number) {
  const lastStartMs = nowMs - (nowMs % span.stepMs);
  return { sinceMs: lastStartMs - (span.steps - 1) * span.stepMs, untilMs: lastStartMs + span.stepMs };
}

/** One point for each step, also where nothing happened. `slugs`: the most frequent refusals, and "other" for the rest. */
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
