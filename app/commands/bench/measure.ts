import type { BenchPlace, Side } from "./bench-place";
import { compare, median, summarize } from "./figures";
import type { Measurement, Round } from "./figures";
import type { Operation } from "./operations";
import { originOf } from "./operations";
import { findProcessCpuMicros } from "./process-cpu";

export type MeasureOptions = { place: BenchPlace; operation: Operation; rounds: number; scale: number };

const connections = 8;
/** Ends a round early on a machine too slow for its number of requests. */
const maxRoundSeconds = 6;

/**
 * Warms both sides up, then measures them in turn, and the other one first in every second round, so that whatever
 * else the machine does falls on both.
 */
export async function measure({ place, operation, rounds, scale }: MeasureOptions): Promise<Measurement> {
  const requests = Math.max(connections, Math.round(operation.requests * scale));
  const measureSide = (side: Side) => measureRound({ place, operation, side, requests });
  for (const side of [place.ours, place.bare]) await measureSide(side);

  const measured: Measurement["rounds"] = [];
  for (let index = 0; index < rounds; index++) {
    if (index % 2 === 0) {
      const ours = await measureSide(place.ours);
      measured.push({ ours, bare: await measureSide(place.bare) });
    } else {
      const bare = await measureSide(place.bare);
      measured.push({ ours: await measureSide(place.ours), bare });
    }
  }
  return {
    operation: operation.name,
    requestsPerRound: requests,
    ours: summarize(measured.map(({ ours }) => ours)),
    bare: summarize(measured.map(({ bare }) => bare)),
    ratios: compare(measured),
    rounds: measured,
  };
}

async function measureRound({
  place,
  operation,
  side,
  requests,
}: Pick<MeasureOptions, "place" | "operation"> & { side: Side; requests: number }): Promise<Round> {
  const { target, pid } = side;
  const prepared = await operation.prepare({ target, requests });
  const cpuBefore = findProcessCpuMicros(pid);
  const callsBefore = place.countRpcCalls();
  const load = { port: target.port, ...prepared, connections, maxSeconds: maxRoundSeconds };
  const result = await place.generateLoad(load);
  const cpuAfter = findProcessCpuMicros(pid);
  return {
    ...result,
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
