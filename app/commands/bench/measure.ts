import type { BenchPlace, Side } from "./bench-place";
import { compare, median, summarize } from "./figures";
import type { Measurement, Round } from "./figures";
import type { Operation, Prepared } from "./operations";
import { originOf } from "./operations";
import { findProcessCpuMicros } from "./process-cpu";

export type MeasureOptions = { place: BenchPlace; operation: Operation; rounds: number; scale: number };

const connections = 8;
/** Ends a round early on a machine too slow for its number of requests. */
const maxRoundSeconds = 15;
/** The same for warming up, which takes several times the requests. */
const maxWarmUpSeconds = 45;

/**
 * Warms both sides up, then measures them in turn, and the other one first in every second round, so that whatever
 * else the machine does falls on both. What is sent is made before the first round, so that partners stand close.
 */
export async function measure({ place, operation, rounds, scale }: MeasureOptions): Promise<Measurement> {
  const requests = Math.max(connections, Math.round(operation.requests * scale));
  const warmUpRequests = Math.max(connections, Math.round(operation.warmUpRequests * scale));
  const warmUpSide = async (side: Side) => {
    const { generateLoad } = place;
    const prepare = (count: number) =>
      operation.prepare({ target: side.target, requests: count, generateLoad });
    const warmUp = await prepare(warmUpRequests);
    const loads: Prepared[] = [];
    for (let index = 0; index < rounds; index++) loads.push(await prepare(requests));
    await measureRound({ place, side, prepared: warmUp, maxSeconds: maxWarmUpSeconds });
    return () => measureRound({ place, side, prepared: loads.pop()! });
  };
  const measureOurs = await warmUpSide(place.ours);
  const measureBare = await warmUpSide(place.bare);
  const measured: Measurement["rounds"] = [];
  for (let index = 0; index < rounds; index++) {
    if (index % 2 === 0) {
      const first = await measureOurs();
      measured.push({ ours: first, bare: await measureBare() });
    } else {
      const first = await measureBare();
      measured.push({ ours: await measureOurs(), bare: first });
    }
  }
  return {
    operation: operation.name,
    requestsPerRound: requests,
    ours: summarize(measured.map((round) => round.ours)),
    bare: summarize(measured.map((round) => round.bare)),
    ratios: compare(measured),
    rounds: measured,
  };
}

async function measureRound({
  place,
  side,
  prepared,
  maxSeconds = maxRoundSeconds,
}: {
  place: BenchPlace;
  side: Side;
  prepared: Prepared;
  maxSeconds?: number;
}): Promise<Round> {
  const { target, pid } = side;
  const cpuBefore = findProcessCpuMicros(pid);
  const callsBefore = place.countRpcCalls();
  const load = { port: target.port, ...prepared, connections, maxSeconds };
  const result = await place.generateLoad(load);
  const cpuAfter = findProcessCpuMicros(pid);
  return {
    requests: result.requests,
    seconds: result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuMicros: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    // The bare handler asks no chain.
    rpcCalls: side === place.ours ? place.countRpcCalls() - callsBefore : null,
  };
}

export type StartTimes = { startsMs: number[]; medianMs: number };

/** From the spawn of the process, on a database that does not exist yet, until /readyz answers 200. */
export async function timeStarts({
  place,
  starts,
}: {
  place: BenchPlace;
  starts: number;
}): Promise<StartTimes> {
  const startsMs: number[] = [];
  for (let index = 0; index < starts; index++) {
    const spawnedAt = performance.now();
    const server = await place.startAnother();
    try {
      const { status } = await fetch(`${originOf(server)}/readyz`);
      if (status !== 200) throw new Error(`A server that had opened was not ready: ${status}.`);
      startsMs.push(performance.now() - spawnedAt);
    } finally {
      await server.stop();
    }
  }
  return { startsMs, medianMs: median(startsMs) };
}
