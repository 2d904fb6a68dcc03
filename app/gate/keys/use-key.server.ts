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
  const { chainId, contractAddress, submissions, requireSettledHolding, wakeOutbox } = dependencies;
  const { tokenId, address } = holder;
  await requireHolder(holder, dependencies);
  try {
    // Reads the newest block itself: one of its own before that would say nothing more.
    await requireSettledHolding(tokenId, address, { isValidToo: true });
  } catch (error) {
    // Says what is wrong first where the key is gone, and then records that it left.
    await requireHolder(holder, dependencies, { fresh: true });
    throw error;
  }
  const key = { chainId, contractAddress, tokenId };
  const notification = keyUsed({ ...key, address });
  const { outcome, usedAtMs } = await submissions.useKeyOnce({ key, usedBy: address, notification });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  wakeOutbox();
  return { tokenId, usedBy: address, usedAt: new Date(usedAtMs).toISOString() };
}
