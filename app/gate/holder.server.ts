import type { Address } from "viem";
import type { Clock } from "~/platform/clock";
import { Refusal } from "~/platform/http/refusal";
import { accessTokenRefused } from "./authentication-failed";
import type { KeyStore } from "./keys/keys.store.server";
import type { KeyKind, KeyKinds } from "./kinds/kind";
import { keyRefOf } from "./kinds/kind-of-key";
import type { Judge, KeyQuestion } from "./ownership/judge";
import { requireMet } from "./require-met";
import type { VerifiedToken } from "./tokens/access-token.server";
import { isRevokedByDeparture } from "./tokens/revocation-by-departure";

/** Who an access token was made for. */
export type Holder = {
  address: Address;
  keyKind: KeyKind;
  tokenId: string;
  /** The wallet that holds the key, where the address is only its delegate. */
  vault: Address | null;
  /** Whether the token reaches the room, which its kind may open only since it was made. */
  opensRoom: boolean;
  issuedAtSeconds: number;
  /** Of the proof that its token goes back to, where it is known. */
  proofHash: string | null;
};

export type HolderDependencies = {
  kinds: KeyKinds;
  clock: Clock;
  judge: Pick<Judge, "judge">;
  keys: Pick<KeyStore, "findKeyState" | "recordDeparture">;
};

/** The key is in the wallet, unused, and has not been away since the token was made. */
export async function requireHolder(
  holder: Holder,
  { kinds, clock, judge, keys }: HolderDependencies,
  { fresh = false }: { fresh?: boolean } = {},
): Promise<void> {
  const { issuedAtSeconds } = holder;
  const question = questionOf(holder);
  const state = keyStateOf(holder);
  const judgement = await judge.judge(Object.assign({}, question, { fresh }));
  if (judgement.key?.reason === "not-owner") {
    // Once per token: one that has ended makes its bearer no writer.
    const { departedAtMs } = await keys.findKeyState(state);
    if (!isRevokedByDeparture(departedAtMs, issuedAtSeconds)) {
      await keys.recordDeparture({ ...state, departedAtMs: clock() });
    }
  }
  requireMet(question, judgement, kinds);
  const { used, departedAtMs, isProofRevoked } = await keys.findKeyState(state);
  if (isProofRevoked) {
    throw accessTokenRefused("The holder has signed out, which ended this access token. Sign in again.");
  }
  if (used) throw new Refusal("this-token-has-already-been-used");
  if (isRevokedByDeparture(departedAtMs, issuedAtSeconds)) {
    throw new Refusal("you-do-not-own-this-token", {
      detail:
        "The key left the wallet after this access token was made, which ended the token. Sign in again.",
    });
  }
}

export function holderOf({ claims, keyKind }: VerifiedToken): Holder {
  const { sub, tokenId, iat, vault, scopes, siwe_hash: proofHash } = claims;
  return {
    address: sub as Address,
    keyKind,
    tokenId,
    vault: (vault as Address | undefined) ?? null,
    opensRoom: scopes.includes("gate:read"),
    issuedAtSeconds: iat,
    proofHash,
  };
}

type KeyClaim = Omit<Holder, "issuedAtSeconds" | "opensRoom" | "proofHash"> &
  Partial<Pick<Holder, "proofHash">>;

export function questionOf({ keyKind, tokenId, address, vault }: KeyClaim): KeyQuestion {
  return { kind: keyKind, tokenId, signer: address, vault };
}

/** For the store: which key, whose departures from it count, and whose proof stands behind a token. */
export function keyStateOf({ keyKind, tokenId, address, vault, proofHash = null }: KeyClaim) {
  return { key: keyRefOf(keyKind, tokenId), holder: vault ?? address, wallet: address, proofHash };
}

/** For all but the gate itself, which answers 403: here a problem with the key makes the token a bad one, 401. */
export async function requireHolderOfToken(
  token: VerifiedToken,
  dependencies: HolderDependencies,
  freshness?: { fresh?: boolean },
): Promise<void> {
  try {
    await requireHolder(holderOf(token), dependencies, freshness);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 403) throw error;
    throw accessTokenRefused(error.detail, error);
  }
}
