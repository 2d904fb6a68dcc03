import { expect, test } from "vitest";
import { bareSide, ownSide, toMeasurement } from "./figures";
import type { Round } from "./figures";
import { toOperationTable } from "./operation-table";
import { describeRun, findCommit, toTable, verdictLines } from "./report";
import type { Run } from "./report";

const round = (seconds: number, rpcCalls: number | null): Round => ({
  requests: 100,
  seconds,
  p50Ms: 1.234,
  p99Ms: 5,
  cpuMicros: 20_000 * seconds,
  rpcCalls,
});
const run: Run = {
  takenAt: "2026-01-02T03:04:05.000Z",
  command: "npm run bench",
  commit: null,
  rounds: 3,
  tookSeconds: 90,
  machine: {
    cpu: "A Processor",
    cores: 2,
    memoryGiB: 8,
    platform: "Linux x64",
    node: "v20.19.0",
    loadBefore: [0.12, 0, 0],
    loadAfter: [1.5, 0, 0],
  },
};

test("every side has a row, and the ratios stand in the others' rows", () => {
  const measurement = toMeasurement({
    operation: "GET /x",
    requestsPerRound: 100,
    rounds: [{ [ownSide]: round(2, 100), [bareSide]: round(1, null), Fastify: round(1.6, null) }],
  });
  const rows = toOperationTable([measurement])
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.slice(2).map((cells) => cells.slice(1, -1))).toEqual([
    ["GET /x", "Latchkey", "50", "1.23", "5.00", "400", "1", "", ""],
    ["", "bare Node", "100", "1.23", "5.00", "200", "", "2.00", "2.00"],
    ["", "Fastify", "63", "1.23", "5.00", "320", "", "1.25", "1.25"],
  ]);
});

test("a report says when, by what and on what it ran, how busy the machine was, and how long it took", () => {
  expect(describeRun(run)).toBe(
    "Measured on 2026-01-02 by `npm run bench` on 2 cores of A Processor, 8 GiB, Linux x64, Node v20.19.0. Medians of 3 rounds. Load average (1 minute) 0.1 before, 1.5 after. Took 1.5 minutes.",
  );
  expect(describeRun({ ...run, rounds: 1 })).toContain("Medians of one round.");
});

test("an aim that was met, one that was missed and an unknown one differ in their first word", () => {
  const verdicts = [true, false, null].map((isMet) => ({ aim: "to be quick", isMet, measured: "1 s" }));
  expect(verdictLines(verdicts)).toEqual([
    "PASS  to be quick: 1 s",
    "over  to be quick: 1 s",
    "n/a   to be quick: 1 s",
  ]);
});

test("the commit is known here, unless there is no repository", () => {
  const commit = findCommit();
  if (commit !== null) expect(commit).toMatch(/^[0-9a-f]{12}(-dirty)?$/);
});

test("texts are aligned to the left and figures to the right", () => {
  expect(toTable(["a", "long"], [["text", "1"]], 1).split("\n")).toEqual([
    "| a    | long |",
    "| ---- | ---: |",
    "| text |    1 |",
  ]);
});
