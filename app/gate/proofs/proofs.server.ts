import type { AccessSubject } from "~/platform/http/request-context.server";
import { authenticationFailed } from "../tokens/authentication-failed";
import type { GateAccessBody } from "./gate-bodies";
import { bearerProof } from "./bearer.server";
import { legacyProof } from "./legacy.server";
import { toRow } from "./proof.server";
import type { Claimant, ProofDependencies, ProofRequest, ProofRow, SignedClaim } from "./proof.server";
import { siweProof } from "./siwe.server";
import { randomBytes } from "node:crypto";
import { Refusal } from "~/platform/refusals/refusal";
import type { NonceStore } from "./nonces.store.server";

/** The first match decides, even if it is invalid. */
const proofs: readonly ProofRow[] = [toRow(bearerProof), toRow(siweProof), toRow(legacyProof)];

export async function readClaimant(
  request: ProofRequest,
  dependencies: ProofDependencies,
): Promise<Claimant> {
  for (const proof of proofs) {
    const claimant = await proof(request, dependencies);
    if (claimant) return claimant;
  }
  throw authenticationFailed(
    "No proof came with the request. Send a Bearer token, or sign in with a message and its signature.",
  );
}

/** The unverified caller. Null if the body names none. */
export function subjectOfBody(body: GateAccessBody | undefined): AccessSubject | null {
  if (!body || body.tier === "bearer") return null;
  return toSubject(body.tier, body);
}

export function subjectOfClaimant(claimant: Claimant): AccessSubject {
  return toSubject(claimant.kind, claimant);
}

type Claimed = Pick<SignedClaim, "keyKind" | "tokenId" | "vault"> & { address: string };

export function toSubject(proof: string, { address, vault, tokenId, keyKind }: Claimed): AccessSubject {
  return { proof, address, vault, tokenId, keyKind: keyKind.name };
}

const nonceTtlSeconds = 300;

/** 32 lower-case hex characters. */
export async function issueNonce(
  clientId: string,
  { isStateActive, nonces }: { isStateActive: boolean; nonces: Pick<NonceStore, "issueNonce"> },
): Promise<string> {
  if (!isStateActive) throw new Refusal("nonce-siwe-not-enabled");
  const value = randomBytes(16).toString("hex");
  try {
    await nonces.issueNonce({ value, clientId, ttlSeconds: nonceTtlSeconds });
  } catch (cause) {
    throw new Refusal("nonce-not-issued", { cause });
  }
  return value;
}
