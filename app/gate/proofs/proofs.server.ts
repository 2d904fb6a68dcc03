import type { AccessClaim } from "~/platform/http/request-context.server";
import { authenticationFailed } from "../tokens/authentication-failed";
import type { GateAccessBody } from "./gate-bodies";
import { bearerProof } from "./bearer.server";
import { legacyProof } from "./legacy.server";
import { toRow } from "./proof.server";
import type { Claimant, ProofDependencies, ProofRequest, ProofRow, SignedClaim } from "./proof.server";
import { siweProof } from "./siwe.server";

/** The first one that matches decides; nothing falls through from a bad one to the next. */
const proofs: readonly ProofRow[] = [toRow(bearerProof), toRow(siweProof), toRow(legacyProof)];

export async function identify(request: ProofRequest, dependencies: ProofDependencies): Promise<Claimant> {
  for (const proof of proofs) {
    const claimant = await proof(request, dependencies);
    if (claimant) return claimant;
  }
  throw authenticationFailed(
    "No proof came with the request. Send a Bearer token, or sign in with a message and its signature.",
  );
}

/** Who a body says asks. Null where it says nothing, as beside a Bearer token. */
export function claimOfBody(body: GateAccessBody | undefined): AccessClaim | null {
  if (!body || body.tier === "bearer") return null;
  return toClaim(body.tier, body);
}

export function claimOfClaimant(claimant: Claimant): AccessClaim {
  return toClaim(claimant.kind, claimant);
}

type Claimed = Pick<SignedClaim, "keyKind" | "tokenId" | "vault"> & { address: string };

export function toClaim(proof: string, { address, vault, tokenId, keyKind }: Claimed): AccessClaim {
  return { proof, address, vault, tokenId, keyKind: keyKind.name };
}
