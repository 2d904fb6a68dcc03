import { Refusal } from "~/platform/refusals/refusal";
import { keyStateOf, questionOf, requireHolder } from "../tokens/holder.server";
import type { TokenHolder } from "../tokens/holder";
import type { HolderDependencies } from "../tokens/holder.server";
import type { RequireSettled } from "../ownership/settled-judgement.server";
import { namedKind } from "../kinds/kind-of-key";
import { requireMayUse, requireRoom } from "../tokens/require-met";
import { keyUsed } from "./key-notifications";
import type { SubmissionStore } from "./submissions.store.server";

export type UseKeyDependencies = HolderDependencies & {
  submissions: Pick<SubmissionStore, "useKeyOnce">;
  requireSettled: RequireSettled;
  wakeOutbox: () => void;
};

/** Uses a key up without the form. From then on it opens nothing, and the tokens made for it have ended. */
export async function useKey(holder: TokenHolder, dependencies: UseKeyDependencies) {
  const { submissions, wakeOutbox } = dependencies;
  const { keyKind, tokenId, address, vault, isUndeployed } = holder;
  requireRoom(holder);
  requireMayUse(holder);
  // The newest block is read below, but for whether a membership has run out.
  await requireHolder(holder, dependencies, { fresh: keyKind.standard === "unlock" });
  await dependencies.requireSettled({ ...questionOf(holder), isUndeployed }).catch(async (error: unknown) => {
    // Where the key is gone, this says so and records it.
    await requireHolder(holder, dependencies, { fresh: true });
    throw error;
  });
  const { key } = keyStateOf(holder);
  const named = namedKind(dependencies.kinds, keyKind);
  const notification = keyUsed({ ...key, ...named, address, ...(vault && { vault }) });
  const { outcome, usedAtMs } = await submissions.useKeyOnce({ key, usedBy: address, notification });
  if (outcome === "already-used") throw new Refusal("this-token-has-already-been-used");
  wakeOutbox();
  return { tokenId, usedBy: address, usedAt: new Date(usedAtMs).toISOString() };
}
