import type { Address } from "viem";
import type { GatedContent } from "~/content/content.schema";
import { Refusal } from "~/platform/http/refusal";
import type { SiweClaims } from "./access-token.schema";
import { authenticationFailed } from "./authentication-failed";
import { identify, proofDigest } from "./identify.server";
import type { Claimant, IdentifyDependencies, IdentifyRequest, LegacyClaim } from "./identify.server";
import { requireHolder, requireOwned } from "./holder.server";
import type { KeyRef } from "./key-ref";
import type { KeyStore } from "./keys.store.server";
import type { OwnershipReader } from "./ownership.server";
import { proveAndReadOwnership } from "./signature.server";
import type { SpentSignatureStore } from "./spent-signatures.store.server";

export type AdmitDependencies = IdentifyDependencies & {
  contractAddress: Address;
  ownership: OwnershipReader;
  keys: Pick<KeyStore, "findKeyState" | "recordDeparture">;
  spentSignatures: SpentSignatureStore;
  mintToken: (grant: TokenGrant) => string;
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
  request.onIdentified?.(claimant);
  let accessToken: string | undefined;
  if (claimant.kind === "bearer") {
    await requireHolder({ holder: { ...claimant, issuedAtSeconds: claimant.claims.iat }, dependencies });
  } else {
    accessToken = await signIn({ claimant, dependencies });
  }
  const content = await dependencies.readContent({ tokenId: claimant.tokenId });
  dependencies.countGrant(claimant.kind);
  return { success: true, access: "granted", ...(accessToken ? { accessToken } : {}), content };
}

async function signIn({
  claimant,
  dependencies,
}: {
  claimant: Exclude<Claimant, { kind: "bearer" }>;
  dependencies: AdmitDependencies;
}): Promise<string> {
  const { address, tokenId, signature, signedText, siwe } = claimant;
  const { chainId, contractAddress, ownership, keys } = dependencies;
  const ownedAtMs = dependencies.clock();
  // A sign-in reads the chain afresh: what it mints outlives any cached reading.
  requireOwned(await proveAndReadOwnership({ message: signedText, signature, address, tokenId, ownership }));
  const key: KeyRef = { chainId, contractAddress, tokenId };
  const { used, departedAtMs } = await keys.findKeyState({ key, holder: address });
  if (used) throw new Refusal("this-token-has-already-been-used");
  requireNoDepartureSince({ departedAtMs, ownedAtMs });
  if (claimant.kind === "legacy") await spend({ claimant, dependencies });
  const grant = { address, tokenId, auth: claimant.kind, siwe, signedText };
  return dependencies.mintToken({ ...grant, departedAtMs, ownedAtMs });
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
