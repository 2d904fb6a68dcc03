import type { Address } from "viem";
import type { GatedContent } from "~/content/content.schema";
import { Refusal } from "~/platform/http/refusal";
import type { SiweClaims } from "./access-token.schema";
import { authenticationFailed } from "./authentication-failed";
import { identify, proofDigest } from "./identify.server";
import type { Claimant, IdentifyDependencies, IdentifyRequest, LegacyClaim } from "./identify.server";
import type { KeyRef } from "./key-ref";
import type { KeyStore } from "./keys.store.server";
import type { Ownership, OwnershipReader } from "./ownership.server";
import { proveAndReadOwnership } from "./signature.server";
import type { SpentSignatureStore } from "./spent-signatures.store.server";
import { isRevokedByDeparture } from "./token-departure";

export type AdmitDependencies = IdentifyDependencies & {
  contractAddress: Address;
  ownership: OwnershipReader;
  keys: Pick<KeyStore, "findKeyState" | "recordDeparture">;
  spentSignatures: SpentSignatureStore;
  mintToken: (grant: TokenGrant) => Promise<string>;
  readContent: (request: { tokenId: string }) => Promise<GatedContent>;
  countGrant: (kind: Claimant["kind"]) => void;
};

export type TokenGrant = {
  address: Address;
  tokenId: string;
  auth: "siwe" | "legacy";
  siwe: SiweClaims;
  signedText: string;
  /** The token must be younger than this: the key left and came back. */
  departedAtMs: number | null;
  /** When the chain was asked who holds the key; the token is dated so, and what is noticed later ends it. */
  ownedAtMs: number;
};

export type Admission = { success: true; access: "granted"; accessToken?: string; content: GatedContent };

/** The one way in: who are you, do you hold the key, is it unused; then what lies behind the gate. */
export async function admit({
  request,
  dependencies,
}: {
  request: IdentifyRequest;
  dependencies: AdmitDependencies;
}): Promise<Admission> {
  const claimant = await identify({ request, dependencies });
  const { chainId, contractAddress } = dependencies;
  const key: KeyRef = { chainId, contractAddress, tokenId: claimant.tokenId };
  const ownedAtMs = dependencies.clock();
  requireOwned(await readOwnership({ claimant, key, dependencies }));
  const state = await dependencies.keys.findKeyState({ key, holder: claimant.address });
  if (state.used) throw new Refusal("this-token-has-already-been-used");
  if (claimant.kind === "bearer")
    requireNotDeparted({ departedAtMs: state.departedAtMs, issuedAtSeconds: claimant.claims.iat });
  else requireNoDepartureSince({ departedAtMs: state.departedAtMs, ownedAtMs });
  if (claimant.kind === "legacy") await spend({ claimant, dependencies });

  const accessToken =
    claimant.kind === "bearer"
      ? undefined
      : await dependencies.mintToken({
          address: claimant.address,
          tokenId: claimant.tokenId,
          auth: claimant.kind,
          siwe: claimant.siwe,
          signedText: claimant.signedText,
          departedAtMs: state.departedAtMs,
          ownedAtMs,
        });
  const content = await dependencies.readContent({ tokenId: claimant.tokenId });
  dependencies.countGrant(claimant.kind);
  return { success: true, access: "granted", ...(accessToken ? { accessToken } : {}), content };
}

async function readOwnership({
  claimant,
  key,
  dependencies,
}: {
  claimant: Claimant;
  key: KeyRef;
  dependencies: AdmitDependencies;
}): Promise<Ownership> {
  const { address, tokenId } = claimant;
  if (claimant.kind !== "bearer") {
    // A sign-in reads the chain afresh: what it mints outlives any cached reading.
    return proveAndReadOwnership({
      message: claimant.signedText,
      signature: claimant.signature,
      address,
      tokenId,
      ownership: dependencies.ownership,
    });
  }
  const answer = await dependencies.ownership.readOwnership({ tokenId, holder: address });
  if (!answer.owned && answer.reason === "not-owner") {
    await dependencies.keys.recordDeparture({ key, holder: address, departedAtMs: dependencies.clock() });
  }
  return answer;
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

function requireNotDeparted({
  departedAtMs,
  issuedAtSeconds,
}: {
  departedAtMs: number | null;
  issuedAtSeconds: number;
}): void {
  if (isRevokedByDeparture({ departedAtMs, issuedAtSeconds })) {
    throw new Refusal("you-do-not-own-this-token", {
      detail:
        "The key left the wallet after this access token was made, which ended the token. Sign in again.",
    });
  }
}

/** The reading of the chain may be older than the departure, which is then news and not history. */
function requireNoDepartureSince({
  departedAtMs,
  ownedAtMs,
}: {
  departedAtMs: number | null;
  ownedAtMs: number;
}): void {
  if (departedAtMs === null || departedAtMs < ownedAtMs) return;
  throw new Refusal("you-do-not-own-this-token", {
    detail: "The key was seen leaving the wallet during the sign-in. If it is there, sign in again.",
  });
}

async function spend({
  claimant,
  dependencies,
}: {
  claimant: LegacyClaim;
  dependencies: AdmitDependencies;
}): Promise<void> {
  const isFirstUse = await dependencies.spentSignatures.spendSignature({
    digest: proofDigest(claimant),
    expiresAtMs: claimant.expiresAtMs,
  });
  if (isFirstUse) return;
  throw authenticationFailed({
    detail: "This signature has been used already. Sign a new message with the current time.",
  });
}
