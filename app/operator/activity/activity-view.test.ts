import { expect, test } from "vitest";
import {
  activityRange,
  activitySpans,
  findActivitySpan,
  findLatencySeries,
  viewActivity,
} from "./activity-view";
import { figureText, roundUp, stepPath } from "../page/time-chart";

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const day = findActivitySpan("day")!;

test("a chart has one point for each step, the last for the present one", () => {
  for (const span of activitySpans) {
    const { sinceMs, untilMs } = activityRange(span, nowMs);
    expect((untilMs - sinceMs) / span.stepMs).toBe(span.steps);
    expect(sinceMs % span.stepMs).toBe(0);
    expect(untilMs).toBeGreaterThan(nowMs);
    expect(untilMs - nowMs).toBeLessThanOrEqual(span.stepMs);
    expect(viewActivity(span, nowMs, []).points).toHaveLength(span.steps);
  }
  expect(findActivitySpan(null)).toBe(day);
  expect(findActivitySpan("year")).toBeNull();
});

test("rows of one step are added up, and the most frequent refusals keep their names", () => {
  const { sinceMs } = activityRange(day, nowMs);
  const counts = [
    { startMs: sinceMs, series: "grant:siwe", amount: 2 },
    { startMs: sinceMs + 60_000, series: "grant:bearer", amount: 3 },
    { startMs: sinceMs + day.stepMs, series: "tokens", amount: 40 },
    ...["a", "b", "c", "d", "e", "f"].map((slug, index) => ({
      startMs: sinceMs,
      series: `refusal:${slug}`,
      amount: 10 - index,
    })),
    { startMs: sinceMs - 1, series: "grant:siwe", amount: 1_000 },
  ];
  const { points, slugs } = viewActivity(day, nowMs, counts);
  expect(slugs).toEqual(["a", "b", "c", "d", "other"]);
  expect(points[0]).toMatchObject({ granted: 5, tokens: 0, refused: { a: 10, d: 7, other: 11 } });
  expect(points[1]).toMatchObject({ granted: 0, tokens: 40, refused: { a: 0, other: 0 } });
  expect(points.reduce((sum, point) => sum + point.granted, 0)).toBe(5);
});

test("latency is shown for the gate and for everything else, and not for streams", () => {
  const series = (route: string) => findLatencySeries({ route, durationSeconds: 0.01 });
  expect(series("/api/chat")).toBeNull();
  const { sinceMs } = activityRange(day, nowMs);
  const counts = [
    { startMs: sinceMs, series: series("/api/gate-access")!, amount: 9 },
    { startMs: sinceMs, series: findLatencySeries({ route: "page", durationSeconds: 1 })!, amount: 1 },
  ];
  const { gate, rest } = viewActivity(day, nowMs, counts).points[0]!.latency;
  expect(gate.p50).toBeGreaterThanOrEqual(10);
  expect(gate.p95).toBeLessThanOrEqual(12.5);
  expect(rest.p50).toBeGreaterThanOrEqual(1_000);
});

test("a scale ends with a round number that is above every value", () => {
  expect([0, 1, 1.1, 3, 7, 10, 11, 499, 501].map(roundUp)).toEqual([1, 1, 2, 5, 10, 10, 20, 500, 1_000]);
  expect([0.26, 2.51, 99.4, 1234.5].map(figureText)).toEqual(["0.26", "2.5", "99", "1,235"]);
});

test("a line connects the measured steps and skips the others", () => {
  const path = stepPath({ values: [5, 10, null, 0, 20], max: 10, stepWidth: 2, height: 100 });
  expect(path).toBe("M0 50H2V0H4M6 100H8V0H10");
});
