/** A lease is longer than what it stands for may take, by this: for its start, its end, and clocks that disagree. */
export const leaseMarginSeconds = 60;

/** What is set aside for what is under way; `endsAtMs` is when the first of it must have ended. */
export type SetAside = { amount: number; endsAtMs: number };
