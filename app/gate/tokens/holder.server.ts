import type { Address } from "viem";
import type { Clock } from "~/platform/time/clock";
import { Refusal } from "~/platform/refusals/refusal";
import { accessTokenRefused } from "./authentication-failed";
import type { KeyState, KeyStore } from "../ownership/keys.store.server";
import type { Judgement, KeyKind, KeyKinds } from "../kinds/kind";
import { keyRefOf } from "../kinds/kind";
import type { Judge, KeyQuestion } from "../ownership/judge";
import { partsOf } from "../ownership/reads/part-reads";
import { requireMet } from "./require-met";
import type { VerifiedToken } from "./access-token.server";
import { isRevokedByDeparture } from "./access-token.schema";
import type { Holder, TokenHolder } from "./access-token.schema";

export type HolderDependencies = {
  kinds: KeyKinds;
  clock: Clock;
  judge: Pick<Judge, "judge" | "noteBlock" | "isOutdated">;
  keys: Pick<KeyStore, "findKeyState" | "recordDeparture">;
};

/** The key must be held, unused, and not have left since the token was made. */
export async function requireHolder(
  holder: Holder,
  { kinds, clock, judge, keys }: HolderDependencies,
  { fresh = false }: { fresh?: boolean } = {},
): Promise<void> {
  const { issuedAtSeconds, keyKind } = holder;
  const question = questionOf(holder);
  const read = () => judge.judge(Object.assign({}, question, { fresh }));
  const { judgement, state } = await judgeWithState(holder, read, { judge, keys, fresh });
  const { used, departedAtMs, isProofRevoked } = state;
  const isEnded = isRevokedByDeparture(departedAtMs, issuedAtSeconds);
  // Once per token, so that its bearer can't cause endless writes.
  if (
    judgement.key?.reason === "not-owner" &&
    !isEnded &&
    !isFromBefore(issuedAtSeconds, judgement, keyKind)
  ) {
    await keys.recordDeparture({ ...keyStateOf(holder), departedAtMs: clock() });
  }
  requireMet(question, judgement, kinds);
  if (isProofRevoked) {
    throw accessTokenRefused("The holder has signed out, which ended this access token. Sign in again.");
  }
  if (used) throw new Refusal("this-token-has-already-been-used");
  if (isEnded) {
    throw new Refusal("you-do-not-own-this-token", {
      detail:
        "The key left the wallet after this access token was made, which ended the token. Sign in again.",
    });
  }
}

/** The node may lag behind the one of the sign-in, and an older block proves no departure. */
function isFromBefore(issuedAtSeconds: number, { blocks }: Judgement, keyKind: KeyKind): boolean {
  return blocks.some((block) => block.chainId === keyKind.chainId && block.blockSeconds < issuedAtSeconds);
}

/** Reads the chains, then the database. Reads both again if the database knows a newer block. */
export async function judgeWithState(
  claim: KeyClaim,
  read: () => Promise<Judgement>,
  { judge, keys, fresh = true }: Pick<HolderDependencies, "judge" | "keys"> & { fresh?: boolean },
): Promise<{ judgement: Judgement; state: KeyState }> {
  const stateQuestion = keyStateOf(claim);
  const judgement = await read();
  const state = await keys.findKeyState(stateQuestion);
  for (const { chainId, ...block } of state.watchedBlocks) judge.noteBlock(chainId, block);
  if (!judge.isOutdated(judgement)) return { judgement, state };
  const ask = (isFresh: boolean) => judge.judge({ ...questionOf(claim), fresh: isFresh });
  let again = await ask(fresh);
  if (!fresh && judge.isOutdated(again)) again = await ask(true);
  return { judgement: again, state: await keys.findKeyState(stateQuestion) };
}

export function holderOf({ claims, keyKind }: VerifiedToken): TokenHolder {
  const { sub, tokenId, iat, vault, scopes, undeployed = false, siwe_hash: proofHash } = claims;
  return {
    address: sub as Address,
    keyKind,
    tokenId,
    vault: (vault as Address | undefined) ?? null,
    scopes,
    opensRoom: scopes.includes("gate:read"),
    isUndeployed: undeployed,
    issuedAtSeconds: iat,
    proofHash,
  };
}

type KeyClaim = Omit<Holder, "issuedAtSeconds" | "opensRoom" | "proofHash"> &
  Partial<Pick<Holder, "proofHash">>;

export function questionOf({ keyKind, tokenId, address, vault }: KeyClaim): KeyQuestion {
  return { kind: keyKind, tokenId, signer: address, vault };
}

export function keyStateOf({ keyKind, tokenId, address, vault, proofHash = null }: KeyClaim) {
  const chainIds = partsOf(keyKind).map(({ chainId }) => chainId);
  return { key: keyRefOf(keyKind, tokenId), holder: vault ?? address, wallet: address, proofHash, chainIds };
}

/** The gate responds with 403 to a problem with the key. Elsewhere it makes the token invalid: 401. */
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
