/** The usual constant: how little the first places differ from the next ones. */
const rankConstant = 60;

export type Fused<Id> = { id: Id; score: number };

/**
 * Reciprocal rank fusion of two orders, best first. The score is 1 for what is first in both and 0.5 for what is
 * first in one and missing from the other. Equal scores go in the order of the first list.
 */
export function fuseRanks<Id>({
  first,
  second,
  secondWeight = 1,
}: {
  first: readonly Id[];
  second: readonly Id[];
  /** How much the second order has to say beside the first. */
  secondWeight?: number;
}): Fused<Id>[] {
  const scores = new Map<Id, number>();
  const whole = 1 + secondWeight;
  for (const [order, weight] of [
    [first, 1 / whole],
    [second, secondWeight / whole],
  ] as const) {
    order.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + (weight * (rankConstant + 1)) / (rankConstant + 1 + index));
    });
  }
  // The map holds the first list's ids in their order, and sorting keeps it among equals.
  return [...scores]
    .map(([id, score]) => ({ id, score: Math.round(score * 10_000) / 10_000 }))
    .sort((one, other) => other.score - one.score);
}
