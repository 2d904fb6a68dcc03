import type { Address } from "viem";
import type { GatedContent } from "~/content/content.schema";
import { Refusal } from "~/platform/http/refusal";
import { identify } from "./identify.server";
import type { IdentifyRequest } from "./identify.server";
import { requireHolder, requireOwned } from "./holder.server";
import type { Holder, HolderDependencies } from "./holder.server";
import type { KeyStore } from "./keys/keys.store.server";
import type { OwnershipReader } from "./ownership/ownership.server";
import type { Claimant, ProofDependencies, SignedClaimant } from "./proofs/proof.server";
import { proveAndReadOwnership } from "./proofs/signature.server";

export type AdmitDependencies = ProofDependencies & {
  contractAddress: Address;
  ownership: OwnershipReader;
  keys: Pick<KeyStore, "findKeyState" | "recordDeparture">;
  mintToken: (grant: TokenGrant) => Promise<string>;
  readContent: (request: { tokenId: string }) => Promise<GatedContent>;
  countGrant: (kind: Claimant["kind"]) => void;
};

export type TokenGrant = Pick<SignedClaimant, "address" | "tokenId" | "signedText"> & {
  auth: SignedClaimant["kind"];
  siwe: SignedClaimant["claims"];
  /** The token must be younger than this: the key left and came back. */
  departedAtMs: number | null;
  /** When the chain was asked who holds the key; the token is dated so, and what is noticed later ends it. */
  ownedAtMs: number;
};

export type Admission = { success: true; access: "granted"; accessToken?: string; content: GatedContent };

/** The one way in: who are you, do you hold the key, is it unused; then what lies behind the gate. */
export async function admit(request: IdentifyRequest, dependencies: AdmitDependencies): Promise<Admission> {
  const { body, noteClaim } = request;
  if (body && body.tier !== "bearer")
    noteClaim?.({ proof: body.tier, address: body.address, tokenId: body.tokenId });
  const claimant = await identify(request, dependencies);
  noteClaim?.({ proof: claimant.kind, address: claimant.address, tokenId: claimant.tokenId });
  let accessToken: string | undefined;
  if (claimant.claims === null) await requireHolder(claimant, dependencies);
  else accessToken = await signIn(claimant, dependencies);
  const content = await dependencies.readContent({ tokenId: claimant.tokenId });
  dependencies.countGrant(claimant.kind);
  return { success: true, access: "granted", ...(accessToken ? { accessToken } : {}), content };
}

type ContentDependencies = HolderDependencies & {
  origin: string;
  readContent: (request: { tokenId: string; mediaOrigin: string }) => Promise<GatedContent>;
};

/** What lies behind the gate, for somebody whose token was verified; every check of the gate is made again. */
export async function readContentFor(
  holder: Holder,
  { origin, readContent, ...dependencies }: ContentDependencies,
): Promise<GatedContent> {
  await requireHolder(holder, dependencies);
  return readContent({ tokenId: holder.tokenId, mediaOrigin: origin });
}

async function signIn(claimant: SignedClaimant, dependencies: AdmitDependencies): Promise<string> {
  const { kind: auth, claims: siwe, address, tokenId, signature, signedText } = claimant;
  const { chainId, contractAddress, ownership, keys, clock } = dependencies;
  let ownedAtMs = clock();
  // A sign-in reads the chain afresh: what it mints outlives any cached reading.
  requireOwned(await proveAndReadOwnership({ message: signedText, signature, address, tokenId, ownership }));
  const key = { chainId, contractAddress, tokenId };
  const { used, departedAtMs } = await keys.findKeyState({ key, holder: address });
  if (used) throw new Refusal("this-token-has-already-been-used");
  if (departedAtMs !== null && departedAtMs >= ownedAtMs) {
    // The reading may be older than the departure. One that begins now is not.
    ownedAtMs = clock();
    requireOwned(await ownership.readOwnership({ tokenId, holder: address, fresh: true }));
    const noticed = await keys.findKeyState({ key, holder: address });
    if (noticed.departedAtMs !== departedAtMs) {
      throw new Refusal("you-do-not-own-this-token", {
        detail: "The key was seen leaving the wallet during the sign-in. If it is there, sign in again.",
      });
    }
  }
  await claimant.spend();
  return await dependencies.mintToken({ address, tokenId, auth, siwe, signedText, departedAtMs, ownedAtMs });
}
