import { median, medianOrNull } from "../figures";
import { toTable } from "../report";

/** Who is asked, and how: `isPinned` keeps each worker on one core. */
export type WorkerVariant = {
  side: string;
  workers: number;
  connections: number;
  isPinned: boolean;
};
/** `cpuMicros`: of all processes of the side together; `busiestShare`: what one of them took of it. */
export type WorkerRound = WorkerVariant & {
  operation: string;
  requests: number;
  seconds: number;
  cpuMicros: number | null;
  busiestShare: number | null;
};
export type WorkerFigures = WorkerVariant & {
  operation: string;
  requestsPerSecond: number;
  cpuMicrosPerRequest: number | null;
  /** How many times the CPU a request of this side's one worker with all connections, each round beside its own. */
  timesOneCpu: number | null;
  busiestShare: number | null;
};

const mostConnections = 16;

/** Rounds come in the order of their turns: the first of each variant belong together. */
export function summarizeWorkers(rounds: readonly WorkerRound[]): WorkerFigures[] {
  const groups = new Map<string, WorkerRound[]>();
  for (const round of rounds) {
    const key = toKey(round);
    groups.set(key, [...(groups.get(key) ?? []), round]);
  }
  return [...groups.values()].map((group) => {
    const { operation, side, workers, connections, isPinned } = group[0]!;
    const variant = { side, workers, connections, isPinned };
    const alone =
      groups.get(toKey({ ...variant, operation, workers: 1, connections: mostConnections })) ?? [];
    return {
      operation,
      ...variant,
      requestsPerSecond: median(group.map(({ requests, seconds }) => requests / seconds)),
      cpuMicrosPerRequest: medianOrNull(group.map(perRequest)),
      timesOneCpu: medianOrNull(
        group.map((round, index) => {
          const [own, one] = [perRequest(round), alone[index] ? perRequest(alone[index]) : null];
          return own === null || one === null ? null : own / one;
        }),
      ),
      busiestShare: medianOrNull(group.map(({ busiestShare }) => busiestShare)),
    };
  });
}

function toKey({
  operation,
  side,
  workers,
  connections,
  isPinned,
}: WorkerVariant & { operation: string }): string {
  return [operation, side, workers, connections, isPinned].join();
}

function perRequest({ cpuMicros, requests }: WorkerRound): number | null {
  return cpuMicros === null ? null : cpuMicros / requests;
}

export function toWorkerTable(figures: readonly WorkerFigures[]): string {
  let before = "";
  return toTable(
    [
      ...["Operation", "Side", "Workers", "Connections", "Pinned", "Requests/s"],
      ...["CPU µs/request", "x one worker (CPU)", "Busiest process"],
    ],
    figures.map(({ operation, side, workers, connections, isPinned, ...found }) => {
      const shown = operation === before ? "" : operation;
      before = operation;
      return [
        ...[shown, side, String(workers), String(connections), isPinned ? "yes" : "no"],
        ...[found.requestsPerSecond.toFixed(0), found.cpuMicrosPerRequest?.toFixed(0) ?? "n/a"],
        found.timesOneCpu?.toFixed(2) ?? "n/a",
        found.busiestShare === null ? "n/a" : `${(100 * found.busiestShare).toFixed(0)} %`,
      ];
    }),
    2,
  );
}
