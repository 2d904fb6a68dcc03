import { Refusal } from "~/platform/refusals/refusal";

/** `resetAtMs` null: no window is open. */
type QuotaFigures = { limit: number; remaining: number; resetAtMs: number | null };

export function quotaHeaders({ limit, remaining, resetAtMs }: QuotaFigures): Record<string, string> {
  return {
    "X-Quota-Limit": String(limit),
    "X-Quota-Remaining": String(remaining),
    ...(resetAtMs === null ? {} : { "X-Quota-Reset": new Date(resetAtMs).toISOString() }),
  };
}

type Exceeded = {
  /** The key's allowance, if the window has too little left. */
  explanation: string;
  /** The unit and the work it pays for: "tokens", "answers". */
  counted: { unit: string; work: string };
  figures: QuotaFigures & { resetAtMs: number; reservations: Reservations | null };
  nowMs: number;
};

/** Says when to come back: at the next window, or when the first running reply must have ended. */
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
  // A reservation past its end is checked again in a second.
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

/** A reservation outlives its reply by this: for its start, its end, and clock differences. */
export const expiryMarginSeconds = 60;

/** All reservations of one window; `endsAtMs` is when the first of them must have ended. */
export type Reservations = { amount: number; endsAtMs: number };
