/** Random choices that come again with the same seed. */
export type Dice = {
  /** From 0 up to, and without, 1. */
  next: () => number;
  pick: <Value>(from: readonly Value[]) => Value;
};

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  // Mulberry32: short, and even enough for choosing the next fault.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return { next, pick: (from) => from[Math.floor(next() * from.length)]! };
}
