import { expect, test } from "vitest";
import { toUsedKeyTable } from "./used-key-table";

test("each size has a row with both operations", () => {
  const figures = { requestsPerSecond: 1000.4, p50Ms: 1, p99Ms: 2.345, rpcCallsPerRequest: null };
  const table = toUsedKeyTable([
    {
      usedKeys: 1_000_000,
      databaseBytes: 210_300_000,
      startMs: 700.6,
      status: { ...figures, cpuMicrosPerRequest: 312.4 },
      bearer: { ...figures, cpuMicrosPerRequest: null },
      growth: { status: 1.234, bearer: null },
    },
  ]);
  const cells = table
    .split("\n")[2]!
    .split("|")
    .map((cell) => cell.trim());
  expect(cells.slice(1, -1)).toEqual([
    ...["1,000,000", "210.3", "701"],
    ...["1000", "1.00", "2.35", "312", "1.23"],
    ...["1000", "1.00", "2.35", "n/a", "n/a"],
  ]);
});
