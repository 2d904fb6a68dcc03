import { median, medianOrNull, ownSide } from "../figures";
import type { Verdict } from "../figures";
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
export type WorkerRow = WorkerVariant & {
  operation: string;
  requestsPerSecond: number;
  cpuMicrosPerRequest: number | null;
  /** How many times the CPU a request of this side's one worker with all connections, each round beside its own. */
  timesOneCpu: number | null;
  busiestShare: number | null;
};
/** `replacedMs`: from the death of a worker until another is ready, the median. */
export type WorkerFigures = { rows: WorkerRow[]; replacedMs: number };

/** Servers that share nothing but the machine, beside one worker. */
export const apartSide = "servers apart";

const mostConnections = 16;
const aims = { timesOneCpu: 1.2, timesApart: 1.05, replacedMs: 1_000 };

/** Rounds come in the order of their turns: the first of each variant belong together. */
export function summarizeWorkers(
  rounds: readonly WorkerRound[],
  replacedMs: readonly number[],
): WorkerFigures {
  const groups = new Map<string, WorkerRound[]>();
  for (const round of rounds) {
    const key = toKey(round);
    groups.set(key, [...(groups.get(key) ?? []), round]);
  }
  const rows = [...groups.values()].map((group): WorkerRow => {
    const { operation, side, workers, connections, isPinned } = group[0]!;
    const variant = { side, workers, connections, isPinned };
    const one = { workers: 1, connections: mostConnections, side: side === apartSide ? ownSide : side };
    const alone = groups.get(toKey({ ...variant, ...one, operation })) ?? [];
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
  return { rows, replacedMs: median(replacedMs) };
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

/** What servers apart cost more, too, is the machine's and not that of workers. */
export function judgeWorkers({ rows, replacedMs }: WorkerFigures): Verdict[] {
  const growthOf = (wanted: string, operation: string) =>
    rows.find((row) => row.operation === operation && row.side === wanted && isMost(row))?.timesOneCpu ??
    null;
  return [
    ...rows
      .filter((row) => row.side === ownSide && isMost(row))
      .map(({ operation, timesOneCpu: growth }) => {
        const apart = growthOf(apartSide, operation);
        const most = Math.max(aims.timesOneCpu, (apart ?? 0) * aims.timesApart);
        return {
          aim: `${operation} by four workers within ${aims.timesOneCpu}x of one by CPU, or like servers apart`,
          isMet: growth === null ? null : growth <= most,
          measured: `${growth?.toFixed(2) ?? "n/a"}x, apart ${apart?.toFixed(2) ?? "n/a"}x`,
        };
      }),
    {
      aim: `a worker that is killed replaced within ${aims.replacedMs / 1_000} s`,
      isMet: replacedMs <= aims.replacedMs,
      measured: `${(replacedMs / 1_000).toFixed(2)} s`,
    },
  ];
}

const isMost = ({ workers, isPinned }: WorkerRow) => workers === 4 && !isPinned;

export function toWorkerTable({ rows }: WorkerFigures): string {
  let before = "";
  return toTable(
    [
      ...["Operation", "Side", "Workers", "Connections", "Pinned", "Requests/s"],
      ...["CPU µs/request", "x one worker (CPU)", "Busiest process"],
    ],
    rows.map(({ operation, side, workers, connections, isPinned, ...found }) => {
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
