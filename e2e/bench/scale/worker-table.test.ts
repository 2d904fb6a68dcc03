import { expect, test } from "vitest";
import { apartSide, judgeWorkers, summarizeWorkers, toWorkerTable } from "./worker-table";
import type { WorkerRound } from "./worker-table";

const round = (changes: Partial<WorkerRound>): WorkerRound => ({
  operation: "GET /x",
  side: "Latchkey",
  workers: 1,
  connections: 16,
  isPinned: false,
  requests: 100,
  seconds: 1,
  cpuMicros: 10_000,
  busiestShare: 1,
  ...changes,
});

test("what a request costs several workers is compared with one worker of the same side, pinning and round", () => {
  const figures = summarizeWorkers(
    [
      round({}),
      round({ workers: 4, cpuMicros: 15_000, busiestShare: 0.3 }),
      round({ isPinned: true, cpuMicros: 5_000 }),
      round({ workers: 4, isPinned: true, cpuMicros: 6_000 }),
      round({ side: "bare Node", cpuMicros: 1_000 }),
      round({ side: "bare Node", workers: 4, cpuMicros: 2_000 }),
      round({ cpuMicros: 20_000 }),
      round({ workers: 4, cpuMicros: 30_000, busiestShare: 0.4 }),
    ],
    [900, 1_100, 800],
  );
  expect(figures.rows.map(({ side, workers, timesOneCpu }) => [side, workers, timesOneCpu])).toEqual([
    ["Latchkey", 1, 1],
    ["Latchkey", 4, 1.5],
    ["Latchkey", 1, 1],
    ["Latchkey", 4, 1.2],
    ["bare Node", 1, 1],
    ["bare Node", 4, 2],
  ]);
  const rows = toWorkerTable(figures).split("\n");
  expect(rows[2]).toMatch(
    /^\| GET \/x +\| Latchkey +\| +1 \| +16 \| +no \| +100 \| +150 \| +1\.00 \| +100 % \|$/,
  );
  expect(rows[3]).toMatch(/^\| +\| Latchkey +\| +4 \| .* 225 \| +1\.50 \| +35 % \|$/);
});

test("where CPU is not counted nothing is said of it", () => {
  const figures = summarizeWorkers([round({ cpuMicros: null, busiestShare: null })], [900]);
  const [one] = figures.rows;
  expect(one).toMatchObject({ cpuMicrosPerRequest: null, timesOneCpu: null, requestsPerSecond: 100 });
  expect(toWorkerTable(figures)).toMatch(/n\/a \| +n\/a \| +n\/a \|$/);
});

test("four workers may cost 1.2 times one, or what servers cost that share nothing", () => {
  const judge = (ours: number, apart: number) =>
    judgeWorkers(
      summarizeWorkers(
        [
          round({}),
          round({ workers: 4, cpuMicros: ours }),
          round({ side: apartSide, workers: 4, cpuMicros: apart }),
        ],
        [900, 1_100, 800],
      ),
    );
  const aim = "GET /x by four workers within 1.2x of one by CPU, or like servers apart";
  expect(judge(12_000, 10_000)[0]).toEqual({ aim, isMet: true, measured: "1.20x, apart 1.00x" });
  expect(judge(12_100, 11_000)[0]).toMatchObject({ isMet: false });
  expect(judge(14_600, 14_000)[0]).toEqual({ aim, isMet: true, measured: "1.46x, apart 1.40x" });
  expect(judge(14_800, 14_000)[1]).toEqual({
    aim: "a worker that is killed replaced within 1 s",
    isMet: true,
    measured: "0.90 s",
  });
});
