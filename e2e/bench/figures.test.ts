import { expect, test } from "vitest";
import { bareSide, compare, judge, median, medianOrNull, ownSide, summarize, toMeasurement } from "./figures";
import type { Figures, Measurement, Ratios, Round } from "./figures";

const round = (changes: Partial<Round> = {}): Round => ({
  requests: 100,
  seconds: 1,
  p50Ms: 1,
  p99Ms: 2,
  cpuMicros: 10_000,
  rpcCalls: 0,
  ...changes,
});
const figures: Figures = {
  requestsPerSecond: 1,
  p50Ms: 1,
  p99Ms: 1,
  cpuMicrosPerRequest: 999,
  rpcCallsPerRequest: 1,
};
const measured = (changes: Partial<Measurement>): Measurement => ({
  operation: "x",
  requestsPerRound: 1,
  ours: figures,
  others: [],
  rounds: [],
  ...changes,
});
const besideBare = (ratios: Ratios) => measured({ others: [{ name: bareSide, figures, ratios }] });

test("the median is the middle value, or the mean of the middle two", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow("median of nothing");
});

test("one bad round does not move the summary, but one extra call to the chain shows", () => {
  const rounds = [round(), round({ seconds: 50, p99Ms: 900, rpcCalls: 1 }), round()];
  expect(summarize(rounds)).toEqual({
    requestsPerSecond: 100,
    p50Ms: 1,
    p99Ms: 2,
    cpuMicrosPerRequest: 100,
    rpcCallsPerRequest: 1 / 300,
  });
});

test("ratios compare each round with its own partner", () => {
  const slowMachine = { ours: round({ seconds: 8, cpuMicros: 40_000 }), other: round({ seconds: 4 }) };
  const quietMachine = { ours: round({ seconds: 2, cpuMicros: 40_000 }), other: round({ seconds: 1 }) };
  expect(compare([slowMachine, quietMachine, quietMachine])).toEqual({ byThroughput: 2, byCpu: 4 });
});

test("CPU figures are omitted when one round has none", () => {
  const blind = { ours: round({ cpuMicros: null }), other: round() };
  expect(compare([{ ours: round(), other: round() }, blind]).byCpu).toBeNull();
  expect(summarize([round(), round({ cpuMicros: null })]).cpuMicrosPerRequest).toBeNull();
});

test("every other side is compared with ours round by round, and a round that lacks one is a fault", () => {
  const rounds = [2, 4, 8].map((slower) => ({
    [ownSide]: round({ seconds: slower }),
    [bareSide]: round(),
    Fastify: round({ seconds: 2, cpuMicros: 5_000 }),
  }));
  const { ours, others } = toMeasurement({ operation: "x", requestsPerRound: 100, rounds });
  expect(ours.requestsPerSecond).toBe(25);
  expect(others.map(({ name, ratios }) => ({ name, ...ratios }))).toEqual([
    { name: bareSide, byThroughput: 4, byCpu: 1 },
    { name: "Fastify", byThroughput: 2, byCpu: 2 },
  ]);
  const incomplete = [rounds[0]!, { [ownSide]: round(), [bareSide]: round() }];
  expect(() => toMeasurement({ operation: "x", requestsPerRound: 100, rounds: incomplete })).toThrow(
    "lacks Fastify",
  );
});

test("an aim against one side is judged by that side alone", () => {
  const others = [{ name: "Fastify", figures, ratios: { byThroughput: 9, byCpu: 9 } }];
  expect(judge(measured({ others }), { maxTimes: { side: bareSide, times: 3 } })).toEqual([]);
});

test.each([
  { ratios: { byThroughput: 3, byCpu: 3 }, isMet: true },
  { ratios: { byThroughput: 3.01, byCpu: 3 }, isMet: false },
  { ratios: { byThroughput: 3, byCpu: 3.01 }, isMet: false },
  { ratios: { byThroughput: 3, byCpu: null }, isMet: true },
])("a ratio of $ratios.byThroughput and $ratios.byCpu against 3 is met: $isMet", ({ ratios, isMet }) => {
  expect(judge(besideBare(ratios), { maxTimes: { side: bareSide, times: 3 } })[0]!.isMet).toBe(isMet);
});

test.each([
  { byCpu: 0.5, isMet: true },
  { byCpu: 0.51, isMet: false },
  { byCpu: null, isMet: null },
])("a ratio of $byCpu by CPU against 0.5 is met: $isMet, whatever it is by requests", ({ byCpu, isMet }) => {
  const measurement = besideBare({ byThroughput: 9, byCpu });
  expect(judge(measurement, { maxCpuTimes: { side: bareSide, times: 0.5 } })[0]!.isMet).toBe(isMet);
});

test.each([
  { rpcCallsPerRequest: 1, isMet: true },
  { rpcCallsPerRequest: 1.0025, isMet: false },
  { rpcCallsPerRequest: 0.99, isMet: false },
])("$rpcCallsPerRequest RPC calls a request against exactly one: $isMet", ({ rpcCallsPerRequest, isMet }) => {
  const measurement = measured({ ours: { ...figures, rpcCallsPerRequest } });
  expect(judge(measurement, { rpcCallsPerRequest: 1 })[0]!.isMet).toBe(isMet);
});

test("the calls of requests one after another count, where those of one moment share calls", () => {
  const measurement = measured({ ours: { ...figures, rpcCallsPerRequest: 0.6 } });
  const judged = judge({ ...measurement, rpcCallsAlone: 3 }, { rpcCallsPerRequest: 1 });
  expect(judged[0]).toMatchObject({ isMet: false, measured: "3" });
});

test.each([
  { cpuMicrosPerRequest: 999, isMet: true },
  { cpuMicrosPerRequest: 1000, isMet: false },
  { cpuMicrosPerRequest: null, isMet: null },
])("$cpuMicrosPerRequest µs of CPU against under 1000: $isMet", ({ cpuMicrosPerRequest, isMet }) => {
  const measurement = measured({ ours: { ...figures, cpuMicrosPerRequest } });
  expect(judge(measurement, { maxCpuMicros: 1000 })[0]!.isMet).toBe(isMet);
});

test.each([
  { byThroughput: 0.2, isMet: true, measured: "5.0x" },
  { byThroughput: 0.21, isMet: false, measured: "4.8x" },
])("$measured as many a second against five times: $isMet", ({ byThroughput, isMet, measured: said }) => {
  const others = [{ name: "MCP SDK", figures, ratios: { byThroughput, byCpu: 9 } }];
  const aims = { minTimes: { side: "MCP SDK", times: 5 } };
  expect(judge(measured({ others }), aims)).toEqual([
    { aim: "x at least 5x as many a second as MCP SDK", isMet, measured: said },
  ]);
  expect(judge(measured({}), aims)[0]!.isMet).toBeNull();
});

test("a median of figures that are not all known is unknown", () => {
  expect(medianOrNull([3, 1, 2])).toBe(2);
  expect(medianOrNull([3, null, 2])).toBeNull();
});
