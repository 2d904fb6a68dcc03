import { expect, test } from "vitest";
import type { Outcome } from "~/gate/kinds/requirement";
import { makeKind } from "~e2e/support/key-kinds";
import { describeKind } from "./check.server";

const contract = `0x${"aa".repeat(20)}` as const;
const list = { has: () => true };
const requirement = { type: "leaf", leaf: { type: "addresses", list, isSecret: false } } as const;

function outcomeOf(tokenId: string | null, outcome: Outcome, asksForMore = true) {
  const kind = makeKind({ chainId: 1, contract, requirement: asksForMore ? requirement : null });
  const verdict = { ...requirement, outcome, index: 0, reading: { outcome } };
  const judgement = {
    outcome,
    key: null,
    requirement: asksForMore ? verdict : null,
    blocks: [],
    cause: null,
  };
  return describeKind({ kind, tokenId, judgement, key: null, state: null }).outcome;
}

test("without an id no kind with tokens is met, and one is unmet where what it asks for besides is", () => {
  expect(outcomeOf(null, "met")).toBe("not-asked");
  expect(outcomeOf(null, "met", false)).toBe("not-asked");
  expect(outcomeOf(null, "unmet")).toBe("unmet");
  expect(outcomeOf(null, "unknown")).toBe("unknown");
  expect(outcomeOf("7", "met")).toBe("met");
});
