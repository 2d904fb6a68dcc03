import type { BenchSite } from "./bench-site";
import { ownSide, toMeasurement } from "./figures";
import type { Measurement, Round } from "./figures";
import type { Load, LoadResult } from "./load-generator";
import type { Operation, Prepared, Side } from "./costs/operation";
import { meterCpuMicros } from "./process-cpu";

export type GenerateLoad = (load: Load) => Promise<LoadResult>;

const manyConnections = 8;
/** One after another, for the calls that each makes of the chain. */
const requestsAlone = 10;
/** Ends a round early on a machine too slow for its number of requests. */
const maxRoundSeconds = 15;
/** The same for warming up, which takes several times the requests. */
const maxWarmUpSeconds = 45;

type MeasureOperationOptions = {
  site: Pick<BenchSite, "getSide" | "generateLoad">;
  operation: Operation;
  rounds: number;
  scale: number;
};

/** Measures one operation on all its sides. */
export async function measureOperation({
  site,
  operation,
  rounds,
  scale,
}: MeasureOperationOptions): Promise<Measurement> {
  const requestsPerRound = Math.max(manyConnections, Math.round(operation.requests * scale));
  const warmUpRequests = Math.max(manyConnections, Math.round(operation.warmUpRequests * scale));
  const { generateLoad } = site;
  const runners: Record<string, () => Promise<Round>> = {};
  let rpcCallsAlone: number | undefined;
  // What is sent is made before the first round, so that partners stand close.
  for (const [name, prepareFor] of Object.entries(operation.sides)) {
    const side = site.getSide(name);
    const prepare = (requests: number) => prepareFor({ target: side.target, requests, generateLoad });
    const warmUp = await prepare(warmUpRequests);
    const loads: Prepared[] = [];
    for (let index = 0; index < rounds; index++) loads.push(await prepare(requestsPerRound));
    await measureRound({ generateLoad, side, prepared: warmUp, maxSeconds: maxWarmUpSeconds });
    runners[name] = () => measureRound({ generateLoad, side, prepared: loads.pop()! });
    if (name !== ownSide || operation.aims.rpcCallsPerRequest === undefined) continue;
    const alone = { prepared: await prepare(requestsAlone), connections: 1 };
    const { rpcCalls, requests } = await measureRound({ generateLoad, side, ...alone });
    if (rpcCalls !== null) rpcCallsAlone = rpcCalls / requests;
  }
  const measured = await takeTurns(runners, rounds);
  const measurement = toMeasurement({ operation: operation.name, requestsPerRound, rounds: measured });
  return { ...measurement, ...(rpcCallsAlone !== undefined && { rpcCallsAlone }) };
}

/**
 * Round by round, everybody in each, and another one first each time, so that whatever else the machine does falls on
 * all alike.
 */
export async function takeTurns<Value>(
  runners: Readonly<Record<string, () => Promise<Value>>>,
  rounds: number,
): Promise<Record<string, Value>[]> {
  const names = Object.keys(runners);
  const measured: Record<string, Value>[] = [];
  for (let index = 0; index < rounds; index++) {
    const first = index % names.length;
    const found = new Map<string, Value>();
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      found.set(name, await runners[name]!());
    }
    measured.push(Object.fromEntries(names.map((name) => [name, found.get(name)!])));
  }
  return measured;
}

type MeasureRoundOptions = {
  generateLoad: GenerateLoad;
  side: Pick<Side, "target" | "pid" | "countRpcCalls">;
  prepared: Prepared;
  connections?: number;
  maxSeconds?: number;
};

export async function measureRound({
  generateLoad,
  side,
  prepared,
  connections = manyConnections,
  maxSeconds = maxRoundSeconds,
}: MeasureRoundOptions): Promise<Round> {
  const { target, pid, countRpcCalls } = side;
  const readCpuMicros = meterCpuMicros(pid);
  const callsBefore = countRpcCalls?.();
  const result = await generateLoad({ port: target.port, ...prepared, connections, maxSeconds });
  const cpuMicros = readCpuMicros();
  return {
    requests: result.requests,
    seconds: result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuMicros,
    rpcCalls: countRpcCalls && callsBefore !== undefined ? countRpcCalls() - callsBefore : null,
  };
}
