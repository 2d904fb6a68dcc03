import type { Address } from "viem";
import type { KeyKind } from "../kinds/kind";
import { keyRefOf, membershipId } from "../kinds/kind";
import type { Judge } from "./judge";
import type { KeyStore } from "./keys.store.server";

export type SurveyQuestion = {
  kinds: readonly KeyKind[];
  holder: Address;
  /** Null reads only what kinds with tokens require besides. */
  tokenId: string | null;
};
type SurveyDependencies = { judge: Pick<Judge, "inspect">; keys: Pick<KeyStore, "findKeyState"> };
/** `tokenId`, `key` and `state` are null if no key was named. */
export type SurveyedKind = Awaited<ReturnType<typeof surveyKinds>>[number];

/** Every kind for one wallet, read afresh and not cached. */
export function surveyKinds(
  { kinds, holder, tokenId: named }: SurveyQuestion,
  { judge, keys }: SurveyDependencies,
) {
  return Promise.all(
    kinds.map(async (kind) => {
      const tokenId = kind.contract === null ? membershipId(holder) : named;
      const inspected: KeyKind = tokenId === null ? { ...kind, contract: null } : kind;
      const question = { kind: inspected, tokenId: tokenId ?? "0", signer: holder, vault: null };
      const read = await judge.inspect(question);
      const state =
        tokenId === null ? null : await keys.findKeyState({ key: keyRefOf(kind, tokenId), holder });
      return { kind, tokenId, ...read, state };
    }),
  );
}
