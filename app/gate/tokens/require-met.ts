import { Refusal, chainUnavailable } from "~/platform/refusals/refusal";
import type { Judgement, KeyKind, KeyKinds } from "../kinds/kind";
import { describeMissing, reportRequirements, listUnmet } from "../kinds/requirement-report";
import { opensRoom } from "../kinds/kind";
import type { KeyQuestion } from "../ownership/judge";

const notHeldDetails = {
  "not-owner": "This key is held by another wallet. Check the token id and the wallet you signed with.",
  "does-not-exist": "There is no key with this id. Check the token id.",
  expired: "The membership of this key has expired. Renew it, then sign in again.",
  "not-delegate":
    "The wallet you signed with is no delegate of the vault for this key. Name it in the delegate registry, then sign in again.",
} as const;

/** Call it only for a proven address, because the refusal names what is missing. */
export function requireMet(
  { kind, tokenId }: KeyQuestion,
  judgement: Judgement,
  { areNamed }: Pick<KeyKinds, "areNamed">,
): void {
  const { outcome, key, cause } = judgement;
  if (outcome === "met") return;
  if (outcome === "unknown") throw chainUnavailable(cause);
  const judged = { kind, tokenId, judgement };
  throw new Refusal("you-do-not-own-this-token", {
    detail: describeMissing(judged) ?? notHeldDetails[key?.reason ?? "not-owner"],
    ...(areNamed && {
      members: { requirements: reportRequirements(judged) },
      unmet: { kind: kind.name, parts: listUnmet(judgement) },
    }),
  });
}

/** `opensRoom` is the token's; a signature opens what its kind opens. */
export function requireRoom({ keyKind, opensRoom: isOpen }: { keyKind: KeyKind; opensRoom?: boolean }): void {
  if (!opensRoom(keyKind)) {
    throw new Refusal("not-opened-by-this-key", {
      detail: `Keys of the kind ${keyKind.name} do not open the room, nor the form in it.`,
    });
  }
  if (isOpen !== false) return;
  throw new Refusal("not-opened-by-this-key", {
    detail: `Keys of the kind ${keyKind.name} open the room, and this access token does not. Sign in again.`,
  });
}

/** Delegates may use a key up only if the kind says so. */
export function requireMayUse({ keyKind, vault }: { keyKind: KeyKind; vault: string | null }): void {
  if (vault === null || keyKind.delegatesMayUse) return;
  throw new Refusal("not-opened-by-this-key", {
    detail: `Only the wallet that holds the key may do this, not a delegate: sign in as ${vault}.`,
  });
}
