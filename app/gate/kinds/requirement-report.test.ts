import { expect, test } from "vitest";
import { evaluate } from "./requirement";
import type { Judgement } from "./kind";
import { requirementReportSchema } from "./keys.openapi";
import { describeMissing, reportRequirements } from "./requirement-report";
import type { Judged } from "./requirement-report";
import type { Leaf, Outcome, Reading, Requirement } from "./requirement";

const contract = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const get = { url: "https://example.com/buy", text: "Buy one" };
const open = { isSecret: false } as const;

const coin: Leaf = {
  ...open,
  type: "erc20",
  contract,
  chainId: 8453,
  atLeast: 2_500_000n,
  label: "2.5 USDC",
};
const guests: Leaf = { ...open, type: "addresses", list: { has: () => false }, label: "On the guest list" };
const hidden: Leaf = { ...guests, label: "A staff wallet", isSecret: true };
const lock: Leaf = { ...open, type: "unlock", contract, chainId: 1, get };

const leafOf = (leaf: Leaf): Requirement => ({ type: "leaf", leaf });
const group = (type: "all" | "any", ...leaves: Leaf[]): Requirement => ({ type, of: leaves.map(leafOf) });

const token: Judged["kind"] = { title: "Founder's key", standard: "erc721", chainId: 1, get };
const membership: Judged["kind"] = { title: "Patrons", standard: "membership", chainId: 1 };

type Read = (leaf: Leaf) => Reading | Outcome;

function judged(
  kind: Judged["kind"],
  requirement: Requirement | null,
  read: Read,
  key: Outcome = "met",
): Judged {
  const verdict =
    requirement &&
    evaluate(requirement, (leaf) => {
      const reading = read(leaf);
      return typeof reading === "string" ? { outcome: reading } : reading;
    });
  const held: Judgement["key"] =
    kind.standard === "membership" ? null : { outcome: key, reason: key === "unmet" ? "not-owner" : null };
  const outcome = key === "met" ? (verdict?.outcome ?? "met") : key;
  return { kind, tokenId: "7", judgement: { outcome, key: held, requirement: verdict } };
}

test("the report is the whole tree, the key first, with amounts as they were read", () => {
  const requirement: Requirement = {
    type: "any",
    of: [leafOf(coin), leafOf(hidden), { type: "not", of: leafOf(guests) }, group("all", lock)],
  };
  const read: Read = (leaf) => {
    if (leaf.type === "erc20") return { outcome: "unmet", held: 10n, decimals: 6 };
    return leaf.type === "unlock" ? "unknown" : "met";
  };
  const report = reportRequirements(judged(token, requirement, read, "unmet"));
  expect(report).toEqual({
    outcome: "unmet",
    all: [
      { label: "holds key #7", outcome: "unmet", needed: "1", chainId: 1, get },
      {
        outcome: "met",
        any: [
          { label: "2.5 USDC", outcome: "unmet", needed: "2500000", held: "10", decimals: 6, chainId: 8453 },
          { secret: true },
          { outcome: "unmet", not: { label: "On the guest list", outcome: "met" } },
          {
            outcome: "unknown",
            all: [
              {
                label: "Membership of 0x8335…2913 on chain 1",
                outcome: "unknown",
                needed: "valid membership",
                chainId: 1,
                get,
              },
            ],
          },
        ],
      },
    ],
  });
  expect(requirementReportSchema.parse(report)).toEqual(report);
});

test("a key without further requirements is reported alone, and a membership by its requirement alone", () => {
  expect(reportRequirements(judged({ ...token, standard: "unlock" }, null, () => "met", "unmet"))).toEqual({
    outcome: "unmet",
    all: [{ label: "holds key #7", outcome: "unmet", needed: "valid membership", chainId: 1, get }],
  });
  expect(reportRequirements(judged(membership, leafOf(guests), () => "unmet"))).toEqual({
    label: "On the guest list",
    outcome: "unmet",
  });
  expect(reportRequirements(judged(membership, leafOf(hidden), () => "unmet"))).toEqual({ secret: true });
});

test("a membership for a vault is reported with the delegation it needs", () => {
  const { judgement, ...rest } = judged(membership, leafOf(guests), () => "unmet");
  const key = { outcome: "met", reason: null } as const;
  const report = reportRequirements({ ...rest, judgement: { ...judgement, key } });
  expect(report).toEqual({
    outcome: "unmet",
    all: [
      { label: "may sign in for this wallet", outcome: "met", chainId: 1 },
      { label: "On the guest list", outcome: "unmet" },
    ],
  });
});

test("every leaf without words of the operator's gets some of its own", () => {
  const leaves: Leaf[] = [
    { ...open, type: "erc721", contract, chainId: 1, atLeast: 1n },
    { ...open, type: "erc20", contract, chainId: 8453, atLeast: 1n },
    { ...open, type: "erc1155", contract, chainId: 1, tokenId: "5", atLeast: 2n },
    { ...open, type: "native", chainId: 10, atLeast: 1n },
    { ...open, type: "addresses", list: { has: () => true } },
  ];
  const report = reportRequirements(
    judged(membership, group("all", ...leaves), () => ({ outcome: "met", held: 3n })),
  );
  expect("all" in report && report.all).toEqual([
    { label: "NFT of 0x8335…2913 on chain 1", outcome: "met", needed: "1", held: "3", chainId: 1 },
    { label: "Token 0x8335…2913 on chain 8453", outcome: "met", needed: "1", held: "3", chainId: 8453 },
    { label: "Token #5 of 0x8335…2913 on chain 1", outcome: "met", needed: "2", held: "3", chainId: 1 },
    { label: "Coin of chain 10", outcome: "met", needed: "1", held: "3", decimals: 18, chainId: 10 },
    { label: "On a list of addresses", outcome: "met" },
  ]);
});

const all = group("all", coin, guests, lock);
const notGuests: Requirement = { type: "not", of: group("any", guests, hidden) };
const holds = "Key #7 is held, and something else is missing";

test.each<[string, Judged, string | null]>([
  [
    "what is unmet, and not what is unknown",
    judged(token, all, ({ type }) => (type === "unlock" ? "unknown" : "unmet")),
    `${holds}: 2.5 USDC and On the guest list.`,
  ],
  [
    "every way",
    judged(token, group("any", coin, guests), () => "unmet"),
    `${holds}: 2.5 USDC or On the guest list.`,
  ],
  ["what must not be", judged(token, notGuests, () => "met"), `${holds}: not “On the guest list”.`],
  [
    "nothing of a secret leaf",
    judged(token, group("all", hidden, coin), () => "unmet"),
    `${holds}: 2.5 USDC.`,
  ],
  ["that it is not told", judged(token, leafOf(hidden), () => "unmet"), `${holds}: what it is, is not told.`],
  [
    "a membership's title",
    judged(membership, leafOf(guests), () => "unmet"),
    "What Patrons asks for is not met: On the guest list.",
  ],
  [
    "where a long list stands",
    judged(token, group("all", ...Array.from({ length: 50 }, () => coin)), () => "unmet"),
    `${holds}: \`requirements\` lists it.`,
  ],
  ["nothing where the key is missing", judged(token, all, () => "unmet", "unmet"), null],
  [
    "that it is not known whether the key is held",
    judged(token, leafOf(coin), () => "unmet", "unknown"),
    "Whether key #7 is held cannot be checked right now, and something else is missing for certain: 2.5 USDC.",
  ],
  ["nothing where nothing is missing", judged(token, all, () => "met"), null],
])("the sentence about what is missing says %s", (_, subject, sentence) => {
  expect(describeMissing(subject)).toBe(sentence);
});
