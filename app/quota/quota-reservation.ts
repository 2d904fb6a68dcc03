/** A reservation expires by this much later than its answer must end: for its start, its end, and clocks that differ. */
export const expiryMarginSeconds = 60;

/** All reservations of one window; `endsAtMs` is when the first of them must have ended. */
export type Reservations = { amount: number; endsAtMs: number };
