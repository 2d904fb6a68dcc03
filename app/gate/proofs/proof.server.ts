import type { Address } from "viem";
import type { Clock } from "~/platform/clock";
import { isAllowedDomain } from "~/platform/http/domains";
import { authenticationFailed } from "../authentication-failed";
import type { GateAccessBody } from "../gate.schema";
import type { Holder } from "../holder.server";
import type { AccessClaims, SiweClaims } from "../tokens/access-token.schema";
import type { NonceStore } from "./nonces.store.server";
import type { SpentSignatureStore } from "./spent-signatures.store.server";

export type ProofRequest = {
  authorization: string | undefined;
  body: GateAccessBody | undefined;
  clientId: string;
  host: string | null;
};

export type ProofDependencies = {
  domains: readonly string[];
  /** Whether a page of this site may be one without TLS, be it not on this very machine. */
  allowsPlainHttp: boolean;
  chainId: number;
  siweEnabled: boolean;
  legacySignatures: "allow" | "fallback" | "deny";
  nonceBinding: "client" | "none";
  nonces: Pick<NonceStore, "consumeNonce">;
  spentSignatures: SpentSignatureStore;
  verifyToken: (token: string) => Promise<AccessClaims>;
  clock: Clock;
};

export type SignedClaim = {
  address: Address;
  tokenId: string;
  signedText: string;
  signature: `0x${string}`;
};

/** Whose signature only the chain is left to judge. */
export type SignedClaimant = SignedClaim & {
  kind: AccessClaims["auth"];
  siwe: SiweClaims;
  /** To be called last, before a token is minted. */
  spend: () => Promise<void>;
};

export type Claimant = ({ kind: "bearer" } & Holder) | SignedClaimant;

/** A row of the registry; null where the request does not use this proof. */
export type Proof = (request: ProofRequest, dependencies: ProofDependencies) => Promise<Claimant> | null;

export type BearerProof<Request extends ProofRequest> = {
  matches: (request: ProofRequest) => request is Request;
  read: (request: Request, dependencies: ProofDependencies) => Promise<Claimant>;
};

export type SignedProof<Request extends ProofRequest, Claim extends SignedClaim> = Pick<
  BearerProof<Request>,
  "matches"
> & {
  /** The claim `auth` of the access token. */
  kind: AccessClaims["auth"];
  /** Refuses what can be judged without the database and the chain. */
  read: (request: Request, dependencies: ProofDependencies) => Claim;
  spend: (claim: Claim, dependencies: ProofDependencies) => Promise<void>;
  /** Before the chain is asked, or once it has answered and before the token is minted. */
  spendBefore: "chain" | "token";
  /** The claim `siwe` of the access token. */
  claims: (claim: Claim) => SiweClaims;
};

export function toProof<Request extends ProofRequest>({ matches, read }: BearerProof<Request>): Proof {
  return (request, dependencies) => (matches(request) ? read(request, dependencies) : null);
}

export function toSignedProof<Request extends ProofRequest, Claim extends SignedClaim>(
  proof: SignedProof<Request, Claim>,
): Proof {
  const { kind, matches, spendBefore } = proof;
  return toProof({
    matches,
    async read(request, dependencies) {
      const claim = proof.read(request, dependencies);
      const { address, tokenId, signedText, signature } = claim;
      const spend = () => proof.spend(claim, dependencies);
      if (spendBefore === "chain") await spend();
      const siwe = proof.claims(claim);
      const rest = { siwe, spend: spendBefore === "token" ? spend : async () => {} };
      return { kind, address, tokenId, signedText, signature, ...rest };
    },
  });
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
