import { keccak256, stringToHex } from "viem";
import type { Address } from "viem";
import type { Clock } from "~/platform/clock";
import { isAllowedDomain } from "~/platform/http/domains";
import { Refusal } from "~/platform/http/refusal";
import type { AccessClaims, SiweClaims } from "./access-token.schema";
import { parseBearerHeader } from "./access-token.server";
import { accessTokenRefused, authenticationFailed } from "./authentication-failed";
import type { GateAccessBody, LegacyBody, SiweBody } from "./gate.schema";
import { checkLegacyTimestamp, legacyClaims, legacyEnvelopeText } from "./legacy-envelope";
import type { NonceStore } from "./nonces.store.server";
import { checkSiweMessage, readSiweMessage } from "./siwe-message.server";

/** Somebody who has shown who they are, or whose signature only the chain is left to judge. */
export type Claimant =
  | { kind: "bearer"; address: Address; tokenId: string; claims: AccessClaims }
  | ({ kind: "siwe" } & SignedClaim)
  | LegacyClaim;

export type LegacyClaim = { kind: "legacy"; expiresAtMs: number } & SignedClaim;

type SignedClaim = {
  address: Address;
  tokenId: string;
  signedText: string;
  signature: `0x${string}`;
  siwe: SiweClaims;
};

export type IdentifyDependencies = {
  domains: readonly string[];
  allowsPlainHttp: boolean;
  chainId: number;
  siweEnabled: boolean;
  legacySignatures: "allow" | "fallback" | "deny";
  nonceBinding: "client" | "none";
  nonces: Pick<NonceStore, "consumeNonce">;
  verifyToken: (token: string) => Promise<AccessClaims>;
  clock: Clock;
};

export type IdentifyRequest = {
  authorization: string | undefined;
  body: GateAccessBody | undefined;
  clientId: string;
  host: string | null;
  /** Told who it is as soon as that is known, before anything else is looked at. */
  onIdentified?: (claimant: { kind: Claimant["kind"]; address: Address; tokenId: string }) => void;
};

const gateAccessPath = "/api/gate-access";

/** Bearer, SIWE or legacy. A Bearer header that is present decides; nothing falls through to the body. */
export async function identify({
  request,
  dependencies,
}: {
  request: IdentifyRequest;
  dependencies: IdentifyDependencies;
}): Promise<Claimant> {
  const { body } = request;
  const bearer = parseBearerHeader(request.authorization);
  if (bearer) return identifyByToken({ token: bearer.token, tokenId: body?.tokenId, dependencies });
  if (!body || body.tier === "bearer") {
    throw authenticationFailed({
      detail:
        "No proof came with the request. Send a Bearer token, or sign in with a message and its signature.",
    });
  }
  return body.tier === "siwe"
    ? identifyBySiwe({ body, request, dependencies })
    : identifyByLegacy({ body, host: request.host, dependencies });
}

async function identifyByToken({
  token,
  tokenId,
  dependencies,
}: {
  token: string;
  tokenId: string | undefined;
  dependencies: IdentifyDependencies;
}): Promise<Claimant> {
  const claims = await dependencies.verifyToken(token);
  if (tokenId !== undefined && tokenId !== claims.tokenId) {
    throw accessTokenRefused({
      detail:
        "The tokenId in the body is not the one the access token was made for. Leave it out, or sign in for that key.",
    });
  }
  return { kind: "bearer", address: claims.sub as Address, tokenId: claims.tokenId, claims };
}

async function identifyBySiwe({
  body,
  request,
  dependencies,
}: {
  body: SiweBody;
  request: IdentifyRequest;
  dependencies: IdentifyDependencies;
}): Promise<Claimant> {
  if (!dependencies.siweEnabled) throw new Refusal("siwe-not-enabled");
  const host = requireOwnHost({ host: request.host, domains: dependencies.domains });
  const message = readSiweMessage({ text: body.message });
  const siwe = checkSiweMessage({
    message,
    expected: {
      domains: dependencies.domains,
      allowsPlainHttp: dependencies.allowsPlainHttp,
      requestHost: host,
      chainId: dependencies.chainId,
      address: body.address,
      nonce: body.nonce,
      nowMs: dependencies.clock(),
    },
  });
  const outcome = await dependencies.nonces.consumeNonce({
    value: body.nonce,
    clientId: dependencies.nonceBinding === "none" ? null : request.clientId,
  });
  if (outcome !== "consumed") throw authenticationFailed({ detail: nonceDetails[outcome] });
  return {
    kind: "siwe",
    address: body.address.toLowerCase() as Address,
    tokenId: body.tokenId,
    signedText: body.message,
    signature: body.signature as `0x${string}`,
    siwe,
  };
}

const nonceDetails = {
  unknown: "The nonce was not issued here. Get a new one from /api/nonce and sign again.",
  expired: "The nonce has expired. Get a new one from /api/nonce and sign again.",
  used: "The nonce has been used already. Get a new one from /api/nonce and sign again.",
  "other-client":
    "The nonce was issued to another client. Get a new one from /api/nonce over the same connection and sign again.",
} as const;

function identifyByLegacy({
  body,
  host,
  dependencies,
}: {
  body: LegacyBody;
  host: string | null;
  dependencies: IdentifyDependencies;
}): Claimant {
  const { legacySignatures, siweEnabled } = dependencies;
  if (legacySignatures === "deny" || (legacySignatures === "fallback" && siweEnabled)) {
    throw new Refusal("legacy-not-accepted");
  }
  return readLegacyClaim({ body, host, path: gateAccessPath, dependencies });
}

/** Rebuilds the signed text from the request; shared with the one-time form, which signs the same lines. */
export function readLegacyClaim({
  body,
  host,
  path,
  messageHash,
  dependencies,
}: {
  body: LegacyBody;
  host: string | null;
  path: string;
  messageHash?: string;
  dependencies: Pick<IdentifyDependencies, "domains" | "chainId" | "clock">;
}): LegacyClaim {
  const { chainId, domains, clock } = dependencies;
  const domain = requireOwnHost({ host, domains });
  const { signedAtMs, expiresAtMs } = checkLegacyTimestamp({ timestamp: body.timestamp, nowMs: clock() });
  const { address, tokenId, timestamp } = body;
  return {
    kind: "legacy",
    address: address.toLowerCase() as Address,
    tokenId,
    signedText: legacyEnvelopeText({
      tokenId,
      domain,
      path,
      method: "POST",
      chainId,
      timestamp,
      messageHash,
    }),
    signature: body.signature as `0x${string}`,
    siwe: legacyClaims({ address, domain, chainId, signedAtMs }),
    expiresAtMs,
  };
}

function requireOwnHost({ host, domains }: { host: string | null; domains: readonly string[] }): string {
  if (host !== null && isAllowedDomain({ host, domains })) return host;
  throw authenticationFailed({
    detail:
      "The request came to a host that this site does not accept signatures for. Use the site's own address.",
  });
}

/** What is remembered of a signature: the text and the signer, never the bytes, which have more than one form. */
export function proofDigest({
  address,
  signedText,
}: {
  address: Address;
  signedText: string;
}): `0x${string}` {
  return keccak256(stringToHex(`${address}\n${signedText}`));
}
