import { expect, test } from "vitest";
import { requireEvenShares, summarizeInstances, toInstanceTable } from "./instance-table";
import type { InstanceRound } from "./instance-table";

const round = (instances: number, seconds: number): InstanceRound => ({
  operation: "GET /x",
  instances,
  requests: 100,
  seconds,
  p50Ms: 1,
  p99Ms: 2,
  cpuMicros: { servers: 50_000, proxy: 10_000, database: null },
});

test("several instances are compared with one instance of the same round", () => {
  const rounds = [round(1, 4), round(2, 2), round(1, 2), round(2, 2), round(1, 8), round(2, 2)];
  const [one, two] = summarizeInstances(rounds);
  expect(one).toMatchObject({ instances: 1, requestsPerSecond: 25, timesOne: 1 });
  expect(two).toMatchObject({ instances: 2, requestsPerSecond: 50, timesOne: 2 });
  expect(two!.cpuMicrosPerRequest).toEqual({ servers: 500, proxy: 100, database: null });
  const rows = toInstanceTable([one!, two!]).split("\n");
  expect(rows[2]).toMatch(/^\| GET \/x +\| +1 \| +25 \| +1\.00 \|/);
  expect(rows[3]).toMatch(/^\| +\| +2 \| +50 \| +2\.00 \|.* 500 \| +1\.00 \| +n\/a \| +100 \|$/);
});

test("the CPU cost of a request is compared the same way, and omitted where unknown", () => {
  const costs = (instances: number, servers: number | null): InstanceRound => ({
    ...round(instances, 1),
    cpuMicros: { servers, proxy: null, database: null },
  });
  const pairs = [costs(1, 100), costs(2, 150), costs(1, 200), costs(2, 360), costs(1, 300), costs(2, 600)];
  expect(summarizeInstances(pairs).map(({ timesOneCpu }) => timesOneCpu)).toEqual([1, 1.8]);
  expect(summarizeInstances([costs(1, 100), costs(2, null)]).map(({ timesOneCpu }) => timesOneCpu)).toEqual([
    1,
    null,
  ]);
});

test("shares of requests may differ by one and no more", () => {
  expect(() => requireEvenShares([5, 4, 5])).not.toThrow();
  expect(() => requireEvenShares([5, 3, 5])).toThrow("5, 3, 5");
});
