import { listLeaves } from "../../kinds/requirement-leaves";
import type { KeyKind } from "../../kinds/kind";
import type { ChainLeaf } from "./leaf-reads";

/** What one chain is asked of a kind. */
export type ChainPart = {
  chainId: number;
  /** The kind's own chain, where its key, signatures and delegations are judged. */
  isOwn: boolean;
  /** `index` as in a verdict. */
  leaves: readonly { leaf: ChainLeaf; index: number }[];
};
export type KindPlan = {
  /** First of `parts`. */
  own: ChainPart;
  parts: readonly ChainPart[];
  /** In lower case; empty for memberships. */
  contractName: string;
  hasSecret: boolean;
};

const plans = new WeakMap<KeyKind, KindPlan>();

/** Made once a kind. */
export function planOf(kind: KeyKind): KindPlan {
  const made = plans.get(kind);
  if (made) return made;
  const plan = makePlan(kind);
  plans.set(kind, plan);
  return plan;
}

function makePlan({ chainId, contract, requirement }: KeyKind): KindPlan {
  const leavesByChain = new Map<number, ChainPart["leaves"][number][]>([[chainId, []]]);
  const listed = requirement ? listLeaves(requirement) : [];
  for (const [index, leaf] of listed.entries()) {
    if (leaf.type === "addresses") continue;
    const leaves = leavesByChain.get(leaf.chainId) ?? [];
    leavesByChain.set(leaf.chainId, leaves);
    leaves.push({ leaf, index });
  }
  const parts = [...leavesByChain].map(([id, leaves]) => ({ chainId: id, isOwn: id === chainId, leaves }));
  const hasSecret = listed.some(({ isSecret }) => isSecret);
  return { own: parts[0]!, parts, contractName: contract?.toLowerCase() ?? "", hasSecret };
}
