import type { AccessClaim } from "~/platform/http/request-context.server";
import { authenticationFailed } from "../authentication-failed";
import type { GateAccessBody } from "../gate-bodies";
import { bearerProof } from "./bearer.server";
import { legacyProof } from "./legacy.server";
import { toRow } from "./proof.server";
import type { Claimant, ProofDependencies, ProofRequest, ProofRow } from "./proof.server";
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
  const { tier: proof, address, tokenId, keyKind } = body;
  return { proof, address, tokenId, keyKind: keyKind.name };
}

export function claimOfClaimant({ kind, address, tokenId, keyKind }: Claimant): AccessClaim {
  return { proof: kind, address, tokenId, keyKind: keyKind.name };
}
