import type { Clock } from "~/platform/time/clock";
import { hourSeconds } from "./activity.store.server";
import type { ActivityStore } from "./activity.store.server";
import { activityRange, viewActivity } from "./activity-view";
import type { ActivitySpan, ActivityView } from "./activity-view";

type ActivityDependencies = {
  readCounts: ActivityStore["readCounts"];
  /** How long the counts of hours are kept; those that are due to be swept are not shown. */
  keptDays: number;
  clock: Clock;
};

export async function readActivity(
  span: ActivitySpan,
  { readCounts, keptDays, clock }: ActivityDependencies,
): Promise<ActivityView> {
  const nowMs = clock();
  const { sinceMs, untilMs } = activityRange(span, nowMs);
  const { spanSeconds } = span;
  const keptSinceMs = spanSeconds === hourSeconds ? nowMs - keptDays * 86_400_000 : 0;
  const range = { spanSeconds, sinceMs: Math.max(sinceMs, keptSinceMs), untilMs };
  return viewActivity(span, nowMs, await readCounts(range));
}
