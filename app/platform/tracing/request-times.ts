import type { OperationKind } from "./operation";

type Sum = { count: number; totalMs: number };

export type RequestTimes = ReturnType<typeof createRequestTimes>;

/** What one request waited for, by kind, for the header `Server-Timing`. Moments are in milliseconds. */
export function createRequestTimes(startedAtMs: number) {
  const sums = new Map<OperationKind, Sum>();
  const open = new Set<{ kind: OperationKind; startedAtMs: number }>();

  function add({ kind, durationMs }: { kind: OperationKind; durationMs: number }, into = sums): void {
    const { count, totalMs } = into.get(kind) ?? { count: 0, totalMs: 0 };
    into.set(kind, { count: count + 1, totalMs: totalMs + durationMs });
  }

  return {
    begin(operation: { kind: OperationKind; startedAtMs: number }): (endedAtMs: number) => void {
      open.add(operation);
      return (endedAtMs) => {
        if (open.delete(operation)) {
          add({ kind: operation.kind, durationMs: endedAtMs - operation.startedAtMs });
        }
      };
    },
    /** Ongoing work, such as the model of a stream that begins, counts until now. */
    render(nowMs: number): string {
      const all = new Map(sums);
      for (const { kind, startedAtMs: beganAtMs } of open) add({ kind, durationMs: nowMs - beganAtMs }, all);
      const kinds = [...all].map(
        ([kind, { count, totalMs }]) => `${kind};dur=${totalMs.toFixed(1)};desc="${count}x"`,
      );
      return [`total;dur=${(nowMs - startedAtMs).toFixed(1)}`, ...kinds].join(", ");
    },
  };
}
