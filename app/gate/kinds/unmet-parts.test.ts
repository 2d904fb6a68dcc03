import { expect, test } from "vitest";
import { evaluate } from "./requirement";
import type { Leaf, Outcome, Requirement } from "./requirement";
import { listUnmet } from "./requirement-report";

const leaf = (label: string, isSecret = false): Requirement => {
  const list = { has: () => false };
  return { type: "leaf", leaf: { type: "addresses", list, label, isSecret } };
};
const judge = (requirement: Requirement, outcomes: readonly Outcome[]) =>
  evaluate(requirement, (_leaf: Leaf, index: number) => ({ outcome: outcomes[index]! }));
const places = (requirement: Requirement, outcomes: readonly Outcome[]) =>
  listUnmet({ key: null, requirement: judge(requirement, outcomes) }).map(({ place }) => place);

test("only the leaves that made a requirement unmet are listed, by their index from left to right", () => {
  const [a, b, c, d] = [leaf("a"), leaf("b"), leaf("c", true), leaf("d")];
  const either: Requirement = { type: "any", of: [b, c] };
  const all: Requirement = { type: "all", of: [a, either, { type: "not", of: d }] };
  expect(places(all, ["met", "unmet", "unmet", "unmet"])).toEqual([1, 2]);
  expect(places(all, ["unmet", "met", "unknown", "met"])).toEqual([0, 3]);
  expect(places({ type: "not", of: either }, ["met", "unmet"])).toEqual([0]);
  expect(places(all, ["met", "met", "unmet", "unmet"])).toEqual([]);
  expect(places(all, ["unknown", "met", "unmet", "unmet"])).toEqual([]);
});

test("the key itself comes before its leaves, and secret leaves are marked", () => {
  const requirement = judge(leaf("hidden", true), ["unmet"]);
  expect(listUnmet({ key: { outcome: "unmet", reason: "not-owner" }, requirement })).toEqual([
    { place: "key", label: null, isSecret: false },
    { place: 0, label: "hidden", isSecret: true },
  ]);
});
