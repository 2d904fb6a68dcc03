export type Random = ReturnType<typeof createRandom>;

/** The same choices for the same seed (mulberry32). Their timing differs. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    /** From 0 up to but excluding 1. */
    next,
    between: (from: number, to: number) => from + Math.floor(next() * (to - from + 1)),
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T | undefined => list[Math.floor(next() * list.length)],
  };
}
