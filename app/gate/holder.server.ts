import type { Address } from "viem";
import type { Clock } from "~/platform/clock";
import { Refusal } from "~/platform/http/refusal";
import type { AccessClaims } from "./tokens/access-token.schema";
import { accessTokenRefused } from "./authentication-failed";
import type { KeyStore } from "./keys/keys.store.server";
import type { Ownership, OwnershipReader } from "./ownership/ownership.server";
import { isRevokedByDeparture } from "./tokens/revocation-by-departure";

/** Who an access token was made for. */
export type Holder = { address: Address; tokenId: string; issuedAtSeconds: number };

export type HolderDependencies = {
  chainId: number;
  contractAddress: Address;
  clock: Clock;
  ownership: Pick<OwnershipReader, "readOwnership">;
  keys: Pick<KeyStore, "findKeyState" | "recordDeparture">;
};

/** The key is in the wallet, unused, and has not been away since the token was made. */
export async function requireHolder(
  { address, tokenId, issuedAtSeconds }: Holder,
  { chainId, contractAddress, clock, ownership, keys }: HolderDependencies,
  { fresh = false }: { fresh?: boolean } = {},
): Promise<void> {
  const key = { chainId, contractAddress, tokenId };
  const answer = await ownership.readOwnership({ tokenId, holder: address, fresh });
  if (!answer.owned && answer.reason === "not-owner") {
    // Once per token: one that has ended makes its bearer no writer.
    const { departedAtMs } = await keys.findKeyState({ key, holder: address });
    if (!isRevokedByDeparture(departedAtMs, issuedAtSeconds)) {
      await keys.recordDeparture({ key, holder: address, departedAtMs: clock() });
    }
  }
  requireOwned(answer);
  const { used, departedAtMs } = await keys.findKeyState({ key, holder: address });
  if (used) throw new Refusal("this-token-has-already-been-used");
  if (isRevokedByDeparture(departedAtMs, issuedAtSeconds)) {
    throw new Refusal("you-do-not-own-this-token", {
      detail:
        "The key left the wallet after this access token was made, which ended the token. Sign in again.",
    });
  }
}

export function holderOf({ sub, tokenId, iat }: AccessClaims): Holder {
  return { address: sub as Address, tokenId, issuedAtSeconds: iat };
}

/** For all but the gate itself, which answers 403: here a problem with the key makes the token a bad one, 401. */
export async function requireHolderOfToken(
  claims: AccessClaims,
  dependencies: HolderDependencies,
  freshness?: { fresh?: boolean },
): Promise<void> {
  try {
    await requireHolder(holderOf(claims), dependencies, freshness);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 403) throw error;
    throw accessTokenRefused(error.detail, error);
  }
}

const notOwnedDetails = {
  "not-owner": "This key is held by another wallet. Check the token id and the wallet you signed with.",
  "does-not-exist": "There is no key with this id. Check the token id.",
  expired: "The membership of this key has expired. Renew it, then sign in again.",
} as const;

export function requireOwned(answer: Ownership): void {
  if (!answer.owned)
    throw new Refusal("you-do-not-own-this-token", { detail: notOwnedDetails[answer.reason] });
}
