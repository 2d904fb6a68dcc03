/** The bound of a figure, in the figure's unit. */
export type Bound = { equals: number } | { atMost: number } | { atLeast: number };

export type Figure = {
  /** Says what was counted or measured, in plain words: "acknowledged unlocks lost". */
  what: string;
  measured: number;
  unit?: string;
  bound: Bound;
};

export type ScenarioRun = {
  /** Multiplies kills, clients, requests and the like. 1 is the full measure. */
  scale: number;
  /** To repeat a failed run, use the seed it printed. */
  seed: number;
  /** One line of progress. */
  say: (line: string) => void;
};

/** The reason a fault can't be played on this machine, such as a missing server or right. That is no failure. */
export type Skipped = { skipped: string };

/** One kind of fault, played against the built server. Throws only if it could not finish. */
export type Scenario = {
  /** Kebab-case, for `--only`. */
  slug: string;
  /** One sentence: the fault, and what must hold. */
  promise: string;
  /** The scale for the tests, where it takes a few seconds. False: not in the tests. */
  inTests: number | false;
  run: (run: ScenarioRun) => Promise<Figure[] | Skipped>;
};

export function isKept({ measured, bound }: Figure): boolean {
  if ("equals" in bound) return measured === bound.equals;
  return "atMost" in bound ? measured <= bound.atMost : measured >= bound.atLeast;
}

/** `count` scaled, but never so small that nothing is tried. */
export function scaled({
  count,
  scale,
  least = 1,
}: {
  count: number;
  scale: number;
  least?: number;
}): number {
  return Math.max(least, Math.round(count * scale));
}
