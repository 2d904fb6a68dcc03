import { toTable } from "../report";
import type { Figures } from "../figures";

const bytesPerMegabyte = 1_000_000;

/** `status` and `bearer`: asking for a key's state, and entering with a token, beside so many keys that were used. */
export type UsedKeyFigures = {
  usedKeys: number;
  databaseBytes: number;
  startMs: number;
  status: Figures;
  bearer: Figures;
  /** CPU beside that of the fewest used keys: the median of the rounds' own ratios. */
  growth: Record<"status" | "bearer", number | null>;
};

export function toUsedKeyTable(figures: readonly UsedKeyFigures[]): string {
  const cells = (
    { requestsPerSecond, p50Ms, p99Ms, cpuMicrosPerRequest }: Figures,
    growth: number | null,
  ) => [
    ...[requestsPerSecond.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2)],
    ...[cpuMicrosPerRequest?.toFixed(0) ?? "n/a", growth?.toFixed(2) ?? "n/a"],
  ];
  const columnsOf = (operation: string) => [
    ...[`${operation}, requests/s`, "p50 ms", "p99 ms", "CPU µs", "x the fewest (CPU)"],
  ];
  return toTable(
    [
      ...["Used keys", "Database, MB", "Start to ready, ms"],
      ...[...columnsOf("token-status"), ...columnsOf("Bearer")],
    ],
    figures.map(({ usedKeys, databaseBytes, startMs, status, bearer, growth }) => [
      ...[usedKeys.toLocaleString("en"), (databaseBytes / bytesPerMegabyte).toFixed(1), startMs.toFixed(0)],
      ...[...cells(status, growth.status), ...cells(bearer, growth.bearer)],
    ]),
    0,
  );
}
