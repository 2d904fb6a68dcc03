import { Refusal } from "~/platform/http/refusal";
import { requireHolder } from "../holder.server";
import type { Holder, HolderDependencies } from "../holder.server";
import type { KeyContract } from "../ownership/ownership.gateway.server";
import type { RequireSettledHolding } from "../ownership/settled-holding.server";
import { keyUsed } from "./key-notifications";
import type { SubmissionStore } from "./submissions.store.server";

export type UseKeyDependencies = HolderDependencies & {
  standard: KeyContract["standard"];
  submissions: Pick<SubmissionStore, "useKeyOnce">;
  requireSettledHolding: RequireSettledHolding;
  wakeOutbox: () => void;
};

/** Uses a key up without the form. From then on it opens nothing, and the tokens made for it have ended. */
export async function useKey(holder: Holder, dependencies: UseKeyDependencies) {
  const { chainId, contractAddress, standard, submissions, wakeOutbox } = dependencies;
  const { tokenId, address } = holder;
  // The newest block is read below, but for whether a membership has run out.
  await requireHolder(holder, dependencies, { fresh: standard === "unlock" });
  await dependencies.requireSettledHolding(tokenId, address).catch(async (error: unknown) => {
    // Where the key is gone, this says so and records it.
    await requireHolder(holder, dependencies, { fresh: true });
    throw error;
  });
  const key = { chainId, contractAddress, tokenId };
  const notification = keyUsed({ ...key, address });
  const { outcome, usedAtMs } = await submissions.useKeyOnce({ key, usedBy: address, notification });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  wakeOutbox();
  return { tokenId, usedBy: address, usedAt: new Date(usedAtMs).toISOString() };
}
