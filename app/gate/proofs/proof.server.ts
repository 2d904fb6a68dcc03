import type { Address } from "viem";
import type { Clock } from "~/platform/time/clock";
import { isAllowedDomain } from "~/platform/config/domains";
import { authenticationFailed } from "../tokens/authentication-failed";
import type { CallerDependencies } from "../tokens/caller.server";
import type { GateAccessBody } from "./gate-bodies";
import type { Holder } from "../tokens/holder";
import type { KeyKind, KeyKinds } from "../kinds/kind";
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
  kinds: KeyKinds;
  siweEnabled: boolean;
  legacySignatures: "allow" | "fallback" | "deny";
  nonceBinding: "client" | "none";
  nonces: Pick<NonceStore, "consumeNonce">;
  spentSignatures: SpentSignatureStore;
  verifyToken: CallerDependencies["verifyToken"];
  clock: Clock;
};

/** Whose signature only the chain is left to judge. */
export type SignedClaim = {
  address: Address;
  keyKind: KeyKind;
  tokenId: string;
  vault: Address | null;
  signedText: string;
  signature: `0x${string}`;
};

export type Proof<Request extends ProofRequest, Claim extends Holder | SignedClaim> = {
  kind: "bearer" | AccessClaims["auth"];
  matches: (request: ProofRequest) => request is Request;
  /** Refuses what can be judged without the chain. */
  read: (request: Request, dependencies: ProofDependencies) => Promise<Claim> | Claim;
  /** Uses the proof up, so that it counts once. */
  spend: (claim: Claim, dependencies: ProofDependencies) => Promise<void>;
  /** Before the chain is asked, or once it has answered and before the token is minted. */
  spendBefore: "chain" | "token";
  /** The claim `siwe` of the access token to mint; null where none is minted. */
  claims: (claim: Claim) => Claim extends SignedClaim ? SiweClaims : null;
};

/** `spend` is to be called last, before a token is minted. */
export type SignedClaimant = SignedClaim & {
  kind: AccessClaims["auth"];
  claims: SiweClaims;
  spend: () => Promise<void>;
};
export type Claimant = (Holder & { kind: string; claims: null }) | SignedClaimant;

/** A row of the registry; null where the request does not use this proof. */
export type ProofRow = (request: ProofRequest, dependencies: ProofDependencies) => Promise<Claimant> | null;

export function toRow<Request extends ProofRequest, Claim extends Holder | SignedClaim>(
  proof: Proof<Request, Claim>,
): ProofRow {
  const { kind, matches, spendBefore } = proof;
  async function identify(request: Request, dependencies: ProofDependencies): Promise<Claimant> {
    const claim = await proof.read(request, dependencies);
    const spend = () => proof.spend(claim, dependencies);
    if (spendBefore === "chain") await spend();
    const rest = { claims: proof.claims(claim), spend: spendBefore === "token" ? spend : async () => {} };
    return { ...claim, kind, ...rest } as Claimant;
  }
  return (request, dependencies) => (matches(request) ? identify(request, dependencies) : null);
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
