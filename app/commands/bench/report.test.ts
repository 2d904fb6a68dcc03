import { expect, test } from "vitest";
import { bareSide, ownSide, toMeasurement } from "./figures";
import type { Round } from "./figures";
import { describeRun, replaceMeasured, toTable, toText } from "./report";
import type { Report } from "./report";

const round = (seconds: number, rpcCalls: number | null): Round => ({
  ...{ requests: 100, seconds, p50Ms: 1.234, p99Ms: 5, cpuMicros: 20_000 * seconds, rpcCalls },
});
const report: Report = {
  ...{ takenAt: "2026-01-02T03:04:05.000Z", command: "npm run bench", rounds: 1 },
  machine: {
    ...{ cpu: "A Processor", cores: 2, memoryGiB: 8, platform: "Linux x64", node: "v20.19.0" },
    ...{ loadBefore: [0.12, 0, 0], loadAfter: [1.5, 0, 0] },
  },
  starts: { startsMs: [700, 800], medianMs: 750 },
  measurements: [
    toMeasurement({
      ...{ operation: "GET /x", requestsPerRound: 100 },
      rounds: [{ [ownSide]: round(2, 100), [bareSide]: round(1, null), Fastify: round(1.6, null) }],
    }),
  ],
  verdicts: [{ aim: "to be quick", isMet: null, measured: "n/a" }],
};

test("every side has a row, and the ratios stand in the others' rows", () => {
  const rows = toText(report)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.slice(2).map((cells) => cells.slice(1, -1))).toEqual([
    ["GET /x", "Latchkey", "50", "1.23", "5.00", "400", "1", "", ""],
    ["", "bare Node", "100", "1.23", "5.00", "200", "", "2.00", "2.00"],
    ["", "Fastify", "63", "1.23", "5.00", "320", "", "1.25", "1.25"],
  ]);
});

test("the document says when, by what and on what, and how busy the machine was", () => {
  const document = replaceMeasured({ document: "<!-- bench:begin -->\nold\n<!-- bench:end -->", report });
  expect(document).toContain(describeRun(report));
  expect(document).toContain("n/a   to be quick: n/a");
  expect(document).not.toContain("old");
  expect(describeRun(report)).toBe(
    "Measured on 2026-01-02 by `npm run bench` on 2 cores of A Processor, 8 GiB, Linux x64, Node v20.19.0. Medians of 1 rounds. Load average (1 minute) 0.1 before, 1.5 after.",
  );
});

test("texts stand to the left and figures to the right", () => {
  expect(toTable({ columns: ["a", "long"], rows: [["text", "1"]], texts: 1 }).split("\n")).toEqual([
    "| a    | long |",
    "| ---- | ---: |",
    "| text |    1 |",
  ]);
});
