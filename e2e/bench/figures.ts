/** One side of one round. `null`: not to be had on this machine or for this side. */
export type Round = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicros: number | null;
  rpcCalls: number | null;
};

export type Figures = {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicrosPerRequest: number | null;
  rpcCallsPerRequest: number | null;
};

/** How many times the other side's figure ours is: the median over the rounds, each round against its own partner. */
export type Ratios = { byThroughput: number; byCpu: number | null };

/** What every other side stands beside. */
export const ownSide = "Latchkey";
/** The same program at another commit, beside which a change is measured. */
export const otherCheckoutSide = "other checkout";
export const bareSide = "bare Node";

/** One round: every side's, by its name. */
export type RoundOfSides = Readonly<Record<string, Round>>;

export type Measurement = {
  operation: string;
  requestsPerRound: number;
  /** By requests one after another: those of one moment share calls. Unless given, they do not. */
  rpcCallsAlone?: number;
  ours: Figures;
  others: { name: string; figures: Figures; ratios: Ratios }[];
  rounds: RoundOfSides[];
};

export type Aims = {
  /** At most so many times what this side needs, by requests a second and by CPU. */
  maxTimes?: { side: string; times: number };
  /** At most so many times the CPU of this side. */
  maxCpuTimes?: { side: string; times: number };
  /** So many times as many requests a second as this side. */
  minTimes?: { side: string; times: number };
  rpcCallsPerRequest?: number;
  maxCpuMicros?: number;
};

export type Verdict = { aim: string; isMet: boolean | null; measured: string };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error("There is no median of nothing.");
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1]! + upper) / 2;
}

/** Null where one of them is not known. */
export function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? median(known) : null;
}

export function summarize(rounds: readonly Round[]): Figures {
  const cpu = rounds.flatMap(({ cpuMicros, requests }) => (cpuMicros === null ? [] : [cpuMicros / requests]));
  const isCounted = rounds.every(({ rpcCalls }) => rpcCalls !== null);
  return {
    requestsPerSecond: median(rounds.map(({ requests, seconds }) => requests / seconds)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    cpuMicrosPerRequest: cpu.length === rounds.length ? median(cpu) : null,
    // Not a median: a single call too many has to show.
    rpcCallsPerRequest: isCounted
      ? sum(rounds.map(({ rpcCalls }) => rpcCalls ?? 0)) / sum(rounds.map(({ requests }) => requests))
      : null,
  };
}

export function compare(rounds: readonly { ours: Round; other: Round }[]): Ratios {
  const byCpu = rounds.flatMap(({ ours, other }) =>
    ours.cpuMicros === null || !other.cpuMicros
      ? []
      : [ours.cpuMicros / ours.requests / (other.cpuMicros / other.requests)],
  );
  return {
    byThroughput: median(
      rounds.map(({ ours, other }) => other.requests / other.seconds / (ours.requests / ours.seconds)),
    ),
    byCpu: byCpu.length === rounds.length ? median(byCpu) : null,
  };
}

/** All sides over all rounds, the others beside ours. */
export function toMeasurement({
  operation,
  requestsPerRound,
  rounds,
}: Pick<Measurement, "operation" | "requestsPerRound" | "rounds">): Measurement {
  const names = Object.keys(rounds[0] ?? {}).filter((name) => name !== ownSide);
  const readRound = (round: RoundOfSides, name: string): Round => {
    const found = round[name];
    if (found === undefined) throw new Error(`A round of ${operation} lacks ${name}.`);
    return found;
  };
  return {
    operation,
    requestsPerRound,
    rounds,
    ours: summarize(rounds.map((round) => readRound(round, ownSide))),
    others: names.map((name) => ({
      name,
      figures: summarize(rounds.map((round) => readRound(round, name))),
      ratios: compare(
        rounds.map((round) => ({ ours: readRound(round, ownSide), other: readRound(round, name) })),
      ),
    })),
  };
}

/**
 * A ratio is met only when both figures say so: a load generator that is itself the bottleneck evens throughputs
 * out, and CPU time alone would not see a server that waits.
 */
export function judge(measurement: Measurement, aims: Aims): Verdict[] {
  const { operation, ours, others } = measurement;
  const verdicts: Verdict[] = [];
  const { side: reference, times: maxTimes = 0 } = aims.maxTimes ?? {};
  const beside = others.find(({ name }) => name === reference);
  if (beside !== undefined) {
    const { byThroughput, byCpu } = beside.ratios;
    verdicts.push({
      aim: `${operation} within ${maxTimes}x of ${beside.name}`,
      isMet: Math.max(byThroughput, byCpu ?? 0) <= maxTimes,
      measured: `${byThroughput.toFixed(2)}x by requests/s, ${byCpu === null ? "n/a" : `${byCpu.toFixed(2)}x`} by CPU`,
    });
  }
  if (aims.maxCpuTimes !== undefined) {
    const { side, times } = aims.maxCpuTimes;
    const ratio = others.find(({ name }) => name === side)?.ratios.byCpu ?? null;
    verdicts.push({
      aim: `${operation} within ${times}x of ${side} by CPU`,
      isMet: ratio === null ? null : ratio <= times,
      measured: ratio === null ? "n/a" : `${ratio.toFixed(2)}x`,
    });
  }
  if (aims.minTimes !== undefined) {
    const { side, times } = aims.minTimes;
    const ratio = others.find(({ name }) => name === side)?.ratios.byThroughput ?? null;
    verdicts.push({
      aim: `${operation} at least ${times}x as many a second as ${side}`,
      isMet: ratio === null ? null : 1 / ratio >= times,
      measured: ratio === null ? "n/a" : `${(1 / ratio).toFixed(1)}x`,
    });
  }
  if (aims.rpcCallsPerRequest !== undefined) {
    const rpcCalls = measurement.rpcCallsAlone ?? ours.rpcCallsPerRequest;
    verdicts.push({
      aim: `${operation} exactly ${aims.rpcCallsPerRequest} RPC ${aims.rpcCallsPerRequest === 1 ? "call" : "calls"}`,
      isMet: rpcCalls === aims.rpcCallsPerRequest,
      measured: `${rpcCalls ?? "n/a"}`,
    });
  }
  if (aims.maxCpuMicros !== undefined) {
    const cpu = ours.cpuMicrosPerRequest;
    verdicts.push({
      aim: `${operation} under ${aims.maxCpuMicros / 1000} ms of CPU`,
      isMet: cpu === null ? null : cpu < aims.maxCpuMicros,
      measured: cpu === null ? "n/a" : `${(cpu / 1000).toFixed(2)} ms`,
    });
  }
  return verdicts;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
