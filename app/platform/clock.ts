/** Time as an argument: milliseconds since the epoch. Production passes `systemClock`, tests their own. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
