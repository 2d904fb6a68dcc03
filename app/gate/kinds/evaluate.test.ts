import { expect, test } from "vitest";
import { evaluate, listLeaves } from "./requirement";
import type { Leaf, Outcome, Requirement, Verdict } from "./requirement";

const outcomes = ["met", "unmet", "unknown"] as const;
const leaf: Requirement = {
  type: "leaf",
  leaf: { type: "native", chainId: 1, atLeast: 1n, isSecret: false },
};

function outcomeOf(requirement: Requirement, readings: readonly Outcome[]): Outcome {
  return evaluate(requirement, (_, index) => ({ outcome: readings[index]! })).outcome;
}

/** The outcome for each pair of met, unmet and unknown, a row for the first. */
function tableOf(type: "all" | "any"): Outcome[][] {
  const pair: Requirement = { type, of: [leaf, leaf] };
  return outcomes.map((first) => outcomes.map((second) => outcomeOf(pair, [first, second])));
}

test("all is unmet where one is unmet, and unknown only where nothing is unmet", () => {
  expect(tableOf("all")).toEqual([
    ["met", "unmet", "unknown"],
    ["unmet", "unmet", "unmet"],
    ["unknown", "unmet", "unknown"],
  ]);
});

test("any is met where one is met, and unknown only where nothing is met", () => {
  expect(tableOf("any")).toEqual([
    ["met", "met", "met"],
    ["met", "unmet", "unknown"],
    ["met", "unknown", "unknown"],
  ]);
});

test("not turns met and unmet around and leaves unknown as it is", () => {
  const negated: Requirement = { type: "not", of: leaf };
  expect(outcomes.map((outcome) => outcomeOf(negated, [outcome]))).toEqual(["unmet", "met", "unknown"]);
});

test("every leaf is read once, from left to right, and told, also where the outcome is certain", () => {
  const requirement: Requirement = {
    type: "any",
    of: [leaf, { type: "all", of: [leaf, { type: "not", of: leaf }] }, leaf],
  };
  const read: number[] = [];
  const verdict = evaluate(requirement, (_, index) => {
    read.push(index);
    return { outcome: "met", held: BigInt(index) };
  });
  expect(read).toEqual([0, 1, 2, 3]);
  expect(leavesOf(verdict).map(({ index, reading }) => [index, reading.held])).toEqual([
    [0, 0n],
    [1, 1n],
    [2, 2n],
    [3, 3n],
  ]);
  expect(listLeaves(requirement)).toHaveLength(4);
});

test("any tree is unknown exactly where what is unknown could decide it either way", () => {
  const random = randomFrom(20_260_115);
  const seen: Record<Outcome, number> = { met: 0, unmet: 0, unknown: 0 };
  for (let round = 0; round < 5_000; round++) {
    // Leaves are distinct, so substitution is exact. There are few enough unknown ones to try all values.
    const tree = makeTree(random, 4);
    const readings = listLeaves(tree).map(() => outcomes[Math.floor(random() * 3)]!);
    const expected = substituteAll(tree, readings);
    expect(outcomeOf(tree, readings), JSON.stringify({ tree: shapeOf(tree), readings })).toBe(expected);
    seen[expected]++;
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(500);
});

/** Evaluates with two-valued logic: every unknown leaf is tried as true and as false. */
function substituteAll(tree: Requirement, readings: readonly Outcome[]): Outcome {
  const unknown = readings.flatMap((outcome, index) => (outcome === "unknown" ? [index] : []));
  const results = new Set<boolean>();
  for (let choice = 0; choice < 2 ** unknown.length; choice++) {
    const values = readings.map((outcome) => outcome === "met");
    for (const [bit, index] of unknown.entries()) values[index] = (choice & (1 << bit)) !== 0;
    results.add(isTrue(tree, values.values()));
  }
  if (results.size === 2) return "unknown";
  return results.has(true) ? "met" : "unmet";
}

function isTrue(tree: Requirement, values: Iterator<boolean>): boolean {
  if (tree.type === "leaf") return values.next().value === true;
  if (tree.type === "not") return !isTrue(tree.of, values);
  // All are taken, so that each leaf gets its own value.
  const parts = tree.of.map((part) => isTrue(part, values));
  return tree.type === "all" ? parts.every(Boolean) : parts.some(Boolean);
}

/** At most three in a group and three groups deep: 27 leaves, rarely with more than a dozen unknown ones. */
function makeTree(random: () => number, depth: number): Requirement {
  const choice = random();
  if (depth === 1 || choice < 0.2) return leaf;
  if (choice < 0.35) return { type: "not", of: makeTree(random, depth - 1) };
  const of = Array.from({ length: 1 + Math.floor(random() * 3) }, () => makeTree(random, depth - 1));
  return { type: choice < 0.675 ? "all" : "any", of };
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function leavesOf(verdict: Verdict): Extract<Verdict, { leaf: Leaf }>[] {
  if (verdict.type === "leaf") return [verdict];
  return verdict.type === "not" ? leavesOf(verdict.of) : verdict.of.flatMap(leavesOf);
}

function shapeOf(tree: Requirement): unknown {
  if (tree.type === "leaf") return 0;
  return tree.type === "not" ? { not: shapeOf(tree.of) } : { [tree.type]: tree.of.map(shapeOf) };
}
