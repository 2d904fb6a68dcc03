import type { Address } from "viem";
import type { Clock } from "~/platform/time/clock";
import { isAllowedDomain } from "~/platform/config/domains";
import { authenticationFailed } from "../tokens/authentication-failed";
import type { CallerDependencies } from "../tokens/caller.server";
import type { GateAccessBody } from "./gate-bodies";
import type { Holder, AccessClaims, SiweClaims } from "../tokens/access-token.schema";
import type { KeyKind, KeyKinds } from "../kinds/kind";
import type { NonceStore, SpentSignatureStore } from "./nonces.store.server";

export type ProofRequest = {
  authorization: string | undefined;
  body: GateAccessBody | undefined;
  clientId: string;
  host: string | null;
};

export type ProofDependencies = {
  domains: readonly string[];
  /** Whether pages other than loopback ones may use plain HTTP. */
  allowsPlainHttp: boolean;
  kinds: KeyKinds;
  /** Without the state service there are no nonces, so no sign-in with Ethereum. */
  isStateActive: boolean;
  legacySignatures: "allow" | "fallback" | "deny";
  nonceBinding: "client" | "none";
  nonces: Pick<NonceStore, "consumeNonce">;
  spentSignatures: SpentSignatureStore;
  verifyToken: CallerDependencies["verifyToken"];
  clock: Clock;
};

/** The kind of a proof: `tier` in a request's body, `auth` in a token, `proof` in records and metrics. */
type ProofKind = "bearer" | AccessClaims["auth"];

/** The chain has yet to verify the signature. */
export type SignedClaim = {
  address: Address;
  keyKind: KeyKind;
  tokenId: string;
  vault: Address | null;
  signedText: string;
  signature: `0x${string}`;
};

export type Proof<Request extends ProofRequest, Claim extends Holder | SignedClaim> = {
  kind: ProofKind;
  matches: (request: ProofRequest) => request is Request;
  /** Makes every check that needs no chain. */
  read: (request: Request, dependencies: ProofDependencies) => Promise<Claim> | Claim;
  spend: (claim: Claim, dependencies: ProofDependencies) => Promise<void>;
  /** Before the chain is read, or before the token is minted. */
  spendBefore: "chain" | "token";
  /** The claim `siwe` of the access token; null if none is minted. */
  claims: (claim: Claim) => Claim extends SignedClaim ? SiweClaims : null;
};

/** Unverified until `admit` has checked the signature. It calls `spend` last, before minting a token. */
export type SignedClaimant = SignedClaim & {
  kind: AccessClaims["auth"];
  claims: SiweClaims;
  spend: () => Promise<void>;
};
export type Claimant = (Holder & { kind: "bearer"; claims: null }) | SignedClaimant;

/** Null if the request doesn't use this proof. */
export type ProofRow = (request: ProofRequest, dependencies: ProofDependencies) => Promise<Claimant> | null;

export function toRow<Request extends ProofRequest, Claim extends Holder | SignedClaim>(
  proof: Proof<Request, Claim>,
): ProofRow {
  const { kind, matches, spendBefore } = proof;
  async function readClaimant(request: Request, dependencies: ProofDependencies): Promise<Claimant> {
    const claim = await proof.read(request, dependencies);
    const spend = () => proof.spend(claim, dependencies);
    if (spendBefore === "chain") await spend();
    const rest = { claims: proof.claims(claim), spend: spendBefore === "token" ? spend : async () => {} };
    return { ...claim, kind, ...rest } as Claimant;
  }
  return (request, dependencies) => (matches(request) ? readClaimant(request, dependencies) : null);
}

export function requireOwnHost(
  host: string | null,
  domains: readonly string[],
  refuse = authenticationFailed,
): string {
  if (host !== null && isAllowedDomain(host, domains)) return host;
  throw refuse(
    "The request came to a host that this site does not accept proofs for. Use the site's own address.",
  );
}
