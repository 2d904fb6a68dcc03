import { expect, test } from "vitest";
import { amountsText, toRequirementGroup } from "./requirement-list";
import type { RequirementGroup, RequirementRow } from "./requirement-list";
import type { RequirementReport } from "~/gate/kinds/requirement-report";

const key = { label: "holds key #7", outcome: "met" };
const dollars = {
  label: "2.5 USDC on Base",
  outcome: "unmet",
  needed: "2500000",
  held: "1000000",
  chainId: 8453,
};
const badge = { label: "A badge", outcome: "unknown", needed: "1", chainId: 1 };
const blocked = { label: "On the list of the blocked", outcome: "unmet" };
const secret = { secret: true };

const drawn = (requirements: object) => toRequirementGroup(requirements as RequirementReport);

/** `all(met holds key #7, any(…))` */
function sketch(each: RequirementGroup | RequirementRow): string {
  if (each.type === "leaf") return `${each.outcome} ${each.isNegated ? "not " : ""}${each.label}`;
  const parts = [...each.of.map(sketch), ...(each.hasUntold ? ["untold"] : [])];
  return `${each.outcome ?? "silent"} ${each.type}(${parts.join(", ")})`;
}

function rowOf(leaf: object): RequirementRow {
  const [row] = drawn(leaf).of;
  if (row?.type !== "leaf") throw new Error("This is no row.");
  return row;
}

test("the key, and groups below it, are rows in their groups", () => {
  const any = { outcome: "unknown", any: [dollars, badge] };
  expect(sketch(drawn({ outcome: "unknown", all: [key, any] }))).toBe(
    "unknown all(met holds key #7, unknown any(unmet 2.5 USDC on Base, unknown A badge))",
  );
});

test("a group in a group of the same kind, or with one member, is not drawn as a group", () => {
  const inner = { outcome: "unmet", all: [dollars, { outcome: "unmet", any: [dollars] }] };
  expect(sketch(drawn({ outcome: "unmet", all: [key, inner] }))).toBe(
    "unmet all(met holds key #7, unmet 2.5 USDC on Base, unmet 2.5 USDC on Base)",
  );
});

test("a not goes down to the leaves, outcomes with it", () => {
  const node = { outcome: "met", not: { outcome: "unmet", any: [blocked, dollars] } };
  expect(sketch(drawn(node))).toBe("met all(met not On the list of the blocked, met not 2.5 USDC on Base)");
  const one = { outcome: "unknown", not: { outcome: "unknown", all: [key, badge] } };
  expect(sketch(drawn(one))).toBe("unknown any(unmet not holds key #7, unknown not A badge)");
  expect(sketch(drawn({ outcome: "met", not: { outcome: "unmet", not: key } }))).toBe(
    "met all(met holds key #7)",
  );
});

test("of a secret leaf nothing is drawn but that something is not told, nor the outcome of a group with it", () => {
  const any = { outcome: "met", any: [dollars, secret, secret] };
  expect(sketch(drawn({ outcome: "met", all: [key, any] }))).toBe(
    "silent all(met holds key #7, silent any(unmet 2.5 USDC on Base, untold))",
  );
  expect(sketch(drawn({ outcome: "unmet", all: [key, { outcome: "unmet", all: [secret] }] }))).toBe(
    "silent all(met holds key #7, untold)",
  );
  expect(sketch(drawn(secret))).toBe("silent all(untold)");
});

test("amounts are in people's units where the decimals are known, else in base units", () => {
  expect(amountsText(rowOf({ ...dollars, decimals: 6 }))).toBe("Needed: 2.5. Held: 1.");
  expect(amountsText(rowOf(dollars))).toBe("Needed: 2,500,000. Held: 1,000,000.");
  expect(amountsText(rowOf(badge))).toBe("Needed: 1.");
  expect(amountsText(rowOf(blocked))).toBe("");
  expect(amountsText(rowOf({ ...badge, needed: "valid membership" }))).toBe("Needed: valid membership.");
});

test("what must not be held says so in its amounts", () => {
  const not = (leaf: object) => rowOf({ outcome: "met", not: leaf });
  expect(amountsText(not({ ...dollars, decimals: 6 }))).toBe("Needed: less than 2.5. Held: 1.");
  expect(amountsText(not({ ...badge, held: "0" }))).toBe("Needed: none. Held: 0.");
  expect(amountsText(not({ ...badge, needed: "valid membership" }))).toBe("Needed: no valid membership.");
});
