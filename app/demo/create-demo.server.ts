import type { KeyKinds } from "~/gate/kinds/kind";
import { firstKind } from "~/gate/kinds/kind";
import type { KeyChain } from "~/gate/kinds/keys.settings";
import { listLeaves } from "~/gate/kinds/requirement";
import { createDemoChain } from "./demo-chain.gateway.server";
import type { DemoChain } from "./demo-chain.gateway.server";

/** Its chain is the first kind's; it gives away the tokens that its keys ask for. */
export function createDemo({ chains, kinds }: { chains: readonly KeyChain[]; kinds: KeyKinds }): DemoChain {
  const { chainId } = firstKind(kinds);
  const leaves = kinds.list.flatMap(({ requirement }) => (requirement ? listLeaves(requirement) : []));
  const coins = leaves.flatMap((leaf) =>
    leaf.type === "erc20" && leaf.chainId === chainId && !leaf.isSecret ? [leaf.contract] : [],
  );
  const rpcUrl = chains.find(({ id }) => id === chainId)!.rpcUrls[0]!;
  return createDemoChain({ rpcUrl, coins });
}
