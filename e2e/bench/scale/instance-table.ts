import { median, medianOrNull } from "../figures";
import { toTable } from "../report";

type Cpu = Record<"servers" | "proxy" | "database", number | null>;
/** `cpuMicros`: of all requests of the round, by whom. */
export type InstanceRound = {
  operation: string;
  instances: number;
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicros: Cpu;
};
export type InstanceFigures = {
  operation: string;
  instances: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** How many times as many requests a second as one instance, each round beside its own. */
  timesOne: number;
  /** How many times as much CPU of the instances a request, likewise; null where it is not known. */
  timesOneCpu: number | null;
  cpuMicrosPerRequest: Cpu;
};

/** Of a proxy that gives to each in turn: nobody has more than one request more than another. */
export function requireEvenShares(answered: readonly number[]): void {
  const spread = Math.max(...answered) - Math.min(...answered);
  if (spread > 1) throw new Error(`The instances did not have equal shares: ${answered.join(", ")}.`);
}

/** Rounds of one operation come in the order of their turns: the first of each number of instances belong together. */
export function summarizeInstances(rounds: readonly InstanceRound[]): InstanceFigures[] {
  const operations = [...new Set(rounds.map(({ operation }) => operation))];
  return operations.flatMap((operation) => {
    const ofOperation = rounds.filter((round) => round.operation === operation);
    const counts = [...new Set(ofOperation.map(({ instances }) => instances))];
    const withCount = (wanted: number) => ofOperation.filter(({ instances }) => instances === wanted);
    const alone = withCount(1);
    return counts.map((instances) => {
      const group = withCount(instances);
      const cpuOf = (who: keyof Cpu) => medianOrNull(group.map((round) => perRequest(round, who)));
      return {
        operation,
        instances,
        requestsPerSecond: median(group.map(({ requests, seconds }) => requests / seconds)),
        p50Ms: median(group.map(({ p50Ms }) => p50Ms)),
        p99Ms: median(group.map(({ p99Ms }) => p99Ms)),
        timesOne: median(
          group.map(({ requests, seconds }, index) => {
            const one = alone[index]!;
            return requests / seconds / (one.requests / one.seconds);
          }),
        ),
        timesOneCpu: medianOrNull(
          group.map((more, index) => {
            const many = perRequest(more, "servers");
            const one = perRequest(alone[index]!, "servers");
            return many === null || one === null ? null : many / one;
          }),
        ),
        cpuMicrosPerRequest: {
          servers: cpuOf("servers"),
          proxy: cpuOf("proxy"),
          database: cpuOf("database"),
        },
      };
    });
  });
}

function perRequest({ cpuMicros, requests }: InstanceRound, who: keyof Cpu): number | null {
  const micros = cpuMicros[who];
  return micros === null ? null : micros / requests;
}

export function toInstanceTable(figures: readonly InstanceFigures[]): string {
  const show = (value: number | null) => value?.toFixed(0) ?? "n/a";
  return toTable(
    [
      ...["Operation", "Instances", "Requests/s", "x one instance", "p50 ms", "p99 ms"],
      ...["Latchkey, CPU µs/request", "x one instance (CPU)"],
      ...["PostgreSQL, CPU µs/request", "Proxy, CPU µs/request"],
    ],
    figures.map(({ operation, instances, cpuMicrosPerRequest: cpu, ...rest }) => [
      instances === 1 ? operation : "",
      ...[String(instances), rest.requestsPerSecond.toFixed(0), rest.timesOne.toFixed(2)],
      ...[rest.p50Ms.toFixed(2), rest.p99Ms.toFixed(2)],
      ...[show(cpu.servers), rest.timesOneCpu?.toFixed(2) ?? "n/a", show(cpu.database), show(cpu.proxy)],
    ]),
    1,
  );
}
