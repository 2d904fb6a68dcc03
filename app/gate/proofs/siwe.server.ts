import type { Address } from "viem";
import { Refusal } from "~/platform/http/refusal";
import { authenticationFailed } from "../authentication-failed";
import type { SiweBody } from "../gate.schema";
import type { SiweClaims } from "../tokens/access-token.schema";
import { requireOwnHost } from "./proof.server";
import type { ProofDependencies, ProofRequest, SignedClaim, SignedProof } from "./proof.server";
import { checkSiweMessage, readSiweMessage } from "./siwe-message.server";

type SiweRequest = ProofRequest & { body: SiweBody };
type SiweClaim = SignedClaim & { clientId: string; nonce: string; siwe: SiweClaims };

/** An EIP-4361 message with a nonce of ours. */
export const siweProof: SignedProof<SiweRequest, SiweClaim> = {
  kind: "siwe",
  matches: (request): request is SiweRequest => request.body?.tier === "siwe",
  read: readSiwe,
  spend: consumeNonce,
  spendBefore: "chain",
  claims: ({ siwe }) => siwe,
};

function readSiwe({ body, clientId, host }: SiweRequest, dependencies: ProofDependencies): SiweClaim {
  if (!dependencies.siweEnabled) throw new Refusal("siwe-not-enabled");
  const { domains, allowsPlainHttp, chainId, clock } = dependencies;
  const { address, tokenId, message, nonce, signature } = body;
  const requestHost = requireOwnHost(host, domains);
  const siwe = checkSiweMessage(readSiweMessage(message), {
    domains,
    allowsPlainHttp,
    requestHost,
    chainId,
    address,
    nonce,
    nowMs: clock(),
  });
  return {
    address: address.toLowerCase() as Address,
    tokenId,
    signedText: message,
    signature: signature as `0x${string}`,
    clientId,
    nonce,
    siwe,
  };
}

async function consumeNonce(
  { clientId, nonce }: SiweClaim,
  { nonceBinding, nonces }: ProofDependencies,
): Promise<void> {
  const outcome = await nonces.consumeNonce({
    value: nonce,
    clientId: nonceBinding === "none" ? null : clientId,
  });
  if (outcome !== "consumed") throw authenticationFailed({ detail: nonceDetails[outcome] });
}

const nonceDetails = {
  unknown: "The nonce was not issued here. Get a new one from /api/nonce and sign again.",
  expired: "The nonce has expired. Get a new one from /api/nonce and sign again.",
  used: "The nonce has been used already. Get a new one from /api/nonce and sign again.",
  "other-client":
    "The nonce was issued to another client. Get a new one from /api/nonce over the same connection and sign again.",
} as const;
