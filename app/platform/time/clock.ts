/** Time as an argument: milliseconds since the epoch. Production passes `systemClock`, tests their own. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** For lengths of time only: setting the machine's clock does not move it, and its beginning means nothing. */
export const monotonicClock: Clock = () => performance.now();
