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

/** Uses a key up without the form. From then on it opens nothing, and the tokens made for it have ended. */
export async function useKey(holder: Holder, dependencies: UseKeyDependencies) {
  await requireHolder(holder, dependencies, { fresh: true });
  await dependencies.requireSettledHolding(holder.tokenId, holder.address);
  const { chainId, contractAddress, submissions, wakeOutbox } = dependencies;
  const { tokenId, address } = holder;
  const key = { chainId, contractAddress, tokenId };
  const notification = keyUsed({ ...key, address });
  const { outcome, usedAtMs } = await submissions.useKeyOnce({ key, usedBy: address, notification });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  wakeOutbox();
  return { tokenId, usedBy: address, usedAt: new Date(usedAtMs).toISOString() };
}
