import { Refusal } from "~/platform/refusals/refusal";
import type { Reservations } from "./quota-reservation";

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

type Exceeded = {
  /** The key's allowance, where the window has too little left. */
  explanation: string;
  /** What is counted, and what it is counted for: "tokens", "answers". */
  counted: { unit: string; work: string };
  figures: QuotaFigures & { resetAtMs: number; reservations: Reservations | null };
  nowMs: number;
};

/** Says when to come back: at the next window, or when the first of what is under way must have ended. */
export function quotaExceeded({ explanation, counted, figures, nowMs }: Exceeded): Refusal {
  const { limit, remaining, resetAtMs, reservations } = figures;
  if (reservations === null) {
    const resetAt = new Date(resetAtMs).toISOString();
    return new Refusal("quota-exceeded", {
      detail: `${explanation} A new window begins at ${resetAt}.`,
      members: { remaining, resetAt },
      headers: { ...quotaHeaders(figures), ...retryAfter(resetAtMs, nowMs) },
    });
  }
  // A reservation past its end is looked at again in a second.
  const atMs = Math.min(resetAtMs, Math.max(reservations.endsAtMs, nowMs + 1000));
  const { unit, work } = counted;
  const details = `${reservations.amount} of this key's ${limit} ${unit} are set aside for ${work} under way. What the first of them does not need is there again when it ends.`;
  return new Refusal("quota-reserved", {
    detail: details,
    members: { remaining, resetAt: new Date(atMs).toISOString(), details },
    headers: { ...quotaHeaders(figures), ...retryAfter(atMs, nowMs) },
  });
}

function retryAfter(atMs: number, nowMs: number): Record<string, string> {
  return { "Retry-After": String(Math.max(1, Math.ceil((atMs - nowMs) / 1000))) };
}
