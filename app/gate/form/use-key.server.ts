import { Refusal } from "~/platform/refusals/refusal";
import { keyStateOf, questionOf, requireHolder } from "../tokens/holder.server";
import type { HolderDependencies } from "../tokens/holder.server";
import type { TokenHolder } from "../tokens/access-token.schema";
import type { RequireSettled } from "../ownership/settled-judgement.server";
import { namedKind } from "../kinds/kind";
import { requireMayUse, requireRoom } from "../tokens/require-met";
import { keyUsed } from "./key-notifications";
import type { SubmissionStore } from "./submissions.store.server";

type UseKeyDependencies = HolderDependencies & {
  submissions: Pick<SubmissionStore, "useKeyOnce">;
  requireSettled: RequireSettled;
  wakeOutbox: () => void;
};

/** Uses a key up without the form, which ends its tokens. */
export async function useKey(holder: TokenHolder, dependencies: UseKeyDependencies) {
  const { submissions, wakeOutbox } = dependencies;
  const { keyKind, tokenId, address, vault, isUndeployed } = holder;
  requireRoom(holder);
  requireMayUse(holder);
  // `requireSettled` reads the newest block, but ignores expiry.
  await requireHolder(holder, dependencies, { fresh: keyKind.standard === "unlock" });
  await dependencies.requireSettled({ ...questionOf(holder), isUndeployed }).catch(async (error: unknown) => {
    // Reports and records a departure.
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
