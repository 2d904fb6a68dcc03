import { Refusal } from "~/platform/http/refusal";

/** `resetAtMs` null: no window is open, so that the whole limit is there and nothing ends. */
export type QuotaFigures = { limit: number; remaining: number; resetAtMs: number | null };

/** Where a key stands, whatever is counted. */
export function quotaHeaders({ limit, remaining, resetAtMs }: QuotaFigures): Record<string, string> {
  return {
    "X-Quota-Limit": String(limit),
    "X-Quota-Remaining": String(remaining),
    ...(resetAtMs === null ? {} : { "X-Quota-Reset": new Date(resetAtMs).toISOString() }),
  };
}

/** `explanation` says what the key may have; when to come back is added to it. */
export function quotaExceeded({
  explanation,
  figures,
  nowMs,
}: {
  explanation: string;
  figures: QuotaFigures & { resetAtMs: number };
  nowMs: number;
}): Refusal {
  const { remaining, resetAtMs } = figures;
  const resetAt = new Date(resetAtMs).toISOString();
  return new Refusal("quota-exceeded", {
    detail: `${explanation} A new window begins at ${resetAt}.`,
    members: { remaining, resetAt },
    headers: {
      ...quotaHeaders(figures),
      "Retry-After": String(Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000))),
    },
  });
}
