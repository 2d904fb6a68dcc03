import type { AccessClaim } from "~/platform/http/request-context.server";
import { authenticationFailed } from "./authentication-failed";
import { bearerProof } from "./proofs/bearer.server";
import { legacyProof } from "./proofs/legacy.server";
import { toRow } from "./proofs/proof.server";
import type { Claimant, ProofDependencies, ProofRequest, ProofRow } from "./proofs/proof.server";
import { siweProof } from "./proofs/siwe.server";

export type IdentifyRequest = ProofRequest & {
  /** Told who asks, first as the body says, then as it is proved, before anything else is looked at. */
  noteClaim?: (claim: AccessClaim) => void;
};

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
