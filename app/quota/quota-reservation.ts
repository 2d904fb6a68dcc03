/** A reservation expires by this much later than its answer must end: for its start, its end, and clocks that differ. */
export const expiryMarginSeconds = 60;

/** What is set aside for what is under way; `endsAtMs` is when the first of it must have ended. */
export type SetAside = { amount: number; endsAtMs: number };
