import { expect, test } from "vitest";
import { judgePage, toPageText } from "./page-costs";
import { readPageCosts } from "./page-trace";
import type { TraceEvent } from "./page-trace";

const url = "http://localhost:1/gate";
const begin = 1_000_000;

function event(name: string, atMs: number, rest: Partial<TraceEvent> = {}): TraceEvent {
  return { name, ph: "X", pid: 7, tid: 1, ts: begin + atMs * 1000, args: {}, ...rest };
}
const shift = (atMs: number, delta: number, isCaused = false) =>
  event("LayoutShift", atMs, { args: { data: { weighted_score_delta: delta, had_recent_input: isCaused } } });

const events: TraceEvent[] = [
  event("thread_name", -10, { ph: "M", args: { name: "CrRendererMain" } }),
  event("navigationStart", -500, { args: { data: { documentLoaderURL: "about:blank" } } }),
  event("navigationStart", 0, { args: { data: { documentLoaderURL: url } } }),
  event("RunTask", 10, { dur: 80_000 }),
  event("firstContentfulPaint", 100),
  // Half of it lies before the first paint.
  event("RunTask", 60, { dur: 140_000 }),
  event("RunTask", 300, { dur: 90_000 }),
  event("RunTask", 400, { dur: 50_000 }),
  event("RunTask", 300, { dur: 900_000, tid: 2 }),
  event("RunTask", 300, { dur: 900_000, pid: 8 }),
  event("largestContentfulPaint::Candidate", 120),
  event("largestContentfulPaint::Candidate", 240),
  shift(200, 0.02),
  shift(250, 0.5, true),
  shift(260, 0.01),
];

test("a visit's costs are read from the trace of its own page and thread", () => {
  expect(readPageCosts(events, url)).toEqual({
    firstPaintMs: 100,
    largestPaintMs: 240,
    layoutShift: 0.03,
    // 100 ms and 90 ms of tasks after the first paint, 50 ms of each forgiven; 50 ms itself is no long task.
    blockingMs: 50 + 40,
  });
});

test.each([
  "navigationStart",
  "firstContentfulPaint",
  "largestContentfulPaint::Candidate",
  "RunTask",
  "thread_name",
])("a trace without %s is no measurement", (name) => {
  expect(() =>
    readPageCosts(
      events.filter((one) => one.name !== name),
      url,
    ),
  ).toThrow("The trace");
});

test("a value exactly at its budget passes, one above is reported as over", () => {
  const costs = { firstPaintMs: 1, largestPaintMs: 2500, layoutShift: 0.1, blockingMs: 200 };
  expect(judgePage({ path: "/", costs }).every((line) => line.startsWith("PASS"))).toBe(true);
  const over = { ...costs, largestPaintMs: 2501, layoutShift: 0.101, blockingMs: 201 };
  expect(judgePage({ path: "/", costs: over }).every((line) => line.startsWith("over"))).toBe(true);
  expect(toPageText([{ path: "/", costs }], 5)).toContain("| `/` | 1 | 2500 | 0.100 | 200 |");
});
