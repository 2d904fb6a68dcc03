/** Milliseconds since the epoch. Tests pass their own. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** For durations only: setting the machine's clock does not move it. */
export const monotonicClock: Clock = () => performance.now();
