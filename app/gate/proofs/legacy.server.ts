import { keccak256, stringToBytes } from "viem";
import type { Address } from "viem";
import { Refusal } from "~/platform/refusals/refusal";
import { authenticationFailed } from "../tokens/authentication-failed";
import type { LegacySignIn } from "./gate-bodies";
import { firstKind } from "../kinds/kind";
import { checkLegacyTimestamp, legacyEnvelopeText } from "./legacy-envelope";
import { requireOwnHost } from "./proof.server";
import type { Proof, ProofDependencies, ProofRequest, SignedClaim } from "./proof.server";

type LegacyRequest = ProofRequest & { body: LegacySignIn };
export type LegacyClaim = SignedClaim &
  ReturnType<typeof checkLegacyTimestamp> & {
    /** As sent, in any case. */
    sentAddress: string;
    domain: string;
  };

/** The older timestamped envelope. */
export const legacyProof: Proof<LegacyRequest, LegacyClaim> = {
  kind: "legacy",
  matches: (request): request is LegacyRequest => request.body?.tier === "legacy",
  read({ body, host }, dependencies) {
    const { legacySignatures, isStateActive } = dependencies;
    if (legacySignatures === "deny" || (legacySignatures === "fallback" && isStateActive)) {
      throw new Refusal("legacy-not-accepted");
    }
    return readLegacyClaim(body, { host, path: "/api/gate-access" }, dependencies);
  },
  spend: spendSignature,
  spendBefore: "token",
  // No message can contain this nonce.
  claims: ({ sentAddress, domain, keyKind, signedAtMs }) => ({
    address: sentAddress,
    domain,
    chainId: keyKind.chainId,
    nonce: "legacy",
    issuedAt: new Date(signedAtMs).toISOString(),
  }),
};

/** The one-time form signs the same lines and its message's hash. */
export function readLegacyClaim(
  {
    address,
    keyKind,
    tokenId,
    vault,
    timestamp,
    signature,
    messageHash,
  }: LegacySignIn & { messageHash?: string },
  { host, path }: { host: string | null; path: string },
  { kinds, domains, clock }: Pick<ProofDependencies, "domains" | "kinds" | "clock">,
): LegacyClaim {
  const domain = requireOwnHost(host, domains);
  const moments = checkLegacyTimestamp(timestamp, clock());
  const { chainId } = keyKind;
  const keyName = keyKind === firstKind(kinds) ? undefined : keyKind.name;
  const envelope = { tokenId, domain, path, method: "POST", chainId, timestamp, messageHash, keyName };
  return {
    address: address.toLowerCase() as Address,
    keyKind,
    tokenId,
    vault,
    signedText: legacyEnvelopeText(envelope),
    signature: signature as `0x${string}`,
    sentAddress: address,
    domain,
    ...moments,
  };
}

export async function spendSignature(
  { address, signedText, expiresAtMs }: LegacyClaim,
  { spentSignatures }: Pick<ProofDependencies, "spentSignatures">,
): Promise<void> {
  // Not the signature's bytes, which have several valid forms.
  const digest = keccak256(stringToBytes(`${address}\n${signedText}`));
  if (await spentSignatures.spendSignature({ digest, expiresAtMs })) return;
  throw authenticationFailed(
    "This signature has been used already. Sign a new message with the current time.",
  );
}
