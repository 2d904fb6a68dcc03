import type { Address } from "viem";
import { allOf, evaluate } from "../kinds/evaluate";
import type { Judgement, KeyKind, NotHeld } from "../kinds/kind";
import type { Outcome, Reading, Requirement, Verdict } from "../kinds/requirement";
import type { KeyQuestion } from "./judge";
import { findWhyNotHeld } from "./reads/key-reads";
import type { ChainPart } from "./reads/kind-plan";
import { makeUnknown } from "./reads/leaf-reads";
import type { ChainLeaf } from "./reads/leaf-reads";
import type { ChainReading } from "./reads/part-reads";

/** Of one chain; without a reading where it was away. */
export type PartReading = { part: ChainPart } & (
  | { reading: ChainReading }
  | { reading: null; cause: unknown; findDecimals: (leaf: ChainLeaf) => number | undefined }
);
type ConcludeOptions = { ignoresExpiry?: boolean };

/** From what each chain said to whether the kind is held. */
export function conclude(
  question: KeyQuestion,
  parts: readonly PartReading[],
  { ignoresExpiry = false }: ConcludeOptions = {},
): Judgement {
  const { kind, signer, vault } = question;
  const holder = vault ?? signer;
  const own = parts.find(({ part }) => part.isOwn)?.reading ?? null;
  const delegation = judgeDelegation(kind, vault, own);
  const key = kind.contract || vault ? concludeKey(question, own, { ignoresExpiry, delegation }) : null;
  // Who is no delegate, or may be none, is told nothing of the vault, nor is it seen in the outcome.
  const asked = delegation === "met" ? kind.requirement : null;
  const requirement = asked && concludeRequirement(asked, parts, holder);
  const outcomes = [key?.outcome ?? "met", requirement?.outcome ?? "met"] as const;
  return {
    outcome: allOf(outcomes),
    key,
    requirement,
    blocks: parts.flatMap(({ part: { chainId }, reading }) => {
      if (!reading) return [];
      const { blockNumber, blockSeconds, isOfHeader } = reading;
      return [{ chainId, blockNumber, blockSeconds, isOfHeader }];
    }),
    cause: findCause(parts),
  };
}

function concludeKey(
  { kind, signer, vault }: KeyQuestion,
  own: ChainReading | null,
  { ignoresExpiry, delegation }: { ignoresExpiry: boolean; delegation: Outcome },
): NonNullable<Judgement["key"]> {
  const holding = kind.contract ? judgeHolding(own, vault ?? signer, ignoresExpiry) : held;
  const outcome = allOf([holding.outcome, delegation]);
  if (outcome !== "unmet") return { outcome, reason: null };
  // That the vault holds nothing says more than that it named nobody.
  return { outcome, reason: holding.reason ?? "not-delegate" };
}

type Holding = { outcome: Outcome; reason: NotHeld | null };
const held: Holding = { outcome: "met", reason: null };

function judgeHolding(own: ChainReading | null, holder: Address, ignoresExpiry: boolean): Holding {
  const key = own?.key ?? null;
  if (key === null || key instanceof Error) return { outcome: "unknown", reason: null };
  const reason = findWhyNotHeld(key, holder);
  if (reason === null || (reason === "expired" && ignoresExpiry)) return held;
  return { outcome: "unmet", reason };
}

function judgeDelegation(kind: KeyKind, vault: Address | null, own: ChainReading | null): Outcome {
  if (vault === null) return "met";
  return kind.delegation === "none" ? "unmet" : (own?.delegation ?? "unknown");
}

function concludeRequirement(
  requirement: Requirement,
  parts: readonly PartReading[],
  holder: Address,
): Verdict {
  const readings = new Map<number, Reading>();
  for (const given of parts) {
    given.part.leaves.forEach(({ leaf, index }, position) => {
      const { reading } = given;
      readings.set(index, reading ? reading.leaves[position]! : makeUnknown(leaf, given.findDecimals(leaf)));
    });
  }
  return evaluate(requirement, (leaf, index) => {
    if (leaf.type === "addresses") return { outcome: leaf.list.has(holder) ? "met" : "unmet" };
    return readings.get(index)!;
  });
}

function findCause(parts: readonly PartReading[]): unknown {
  for (const given of parts) {
    const { cause } = given.reading ?? given;
    if (cause !== null) return cause;
  }
  return null;
}
