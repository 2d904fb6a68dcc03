import type { Address } from "viem";
import { Refusal } from "~/platform/http/refusal";
import { requireHolder } from "../holder.server";
import type { Holder, HolderDependencies } from "../holder.server";
import type { RequireSettledHolding } from "../ownership/settled-holding.server";
import { keyUsed } from "./key-notifications";
import type { SubmissionStore } from "./submissions.store.server";

export type UseKeyDependencies = HolderDependencies & {
  submissions: Pick<SubmissionStore, "useKeyOnce">;
  requireSettledHolding: RequireSettledHolding;
  wakeOutbox: () => void;
};

export type KeyUsed = { tokenId: string; usedBy: Address; usedAt: string };

/** Uses a key up without the form. From then on it opens nothing, and the tokens made for it have ended. */
export async function useKey(holder: Holder, dependencies: UseKeyDependencies): Promise<KeyUsed> {
  await requireHolder({ holder, fresh: true, dependencies });
  await dependencies.requireSettledHolding(holder.tokenId, holder.address);
  const { chainId, contractAddress, submissions, wakeOutbox } = dependencies;
  const { tokenId, address } = holder;
  const { outcome, usedAtMs } = await submissions.useKeyOnce({
    key: { chainId, contractAddress, tokenId },
    usedBy: address,
    notification: keyUsed({ chainId, contractAddress, tokenId, address }),
  });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  wakeOutbox();
  return { tokenId, usedBy: address, usedAt: new Date(usedAtMs).toISOString() };
}
