import { SiweErrorType, SiweMessage, SiweParseError } from "siwe";
import type { SiweConfig } from "siwe";
import { checksumAddress, getAddress, hashMessage } from "viem";
import type { Address } from "viem";
import { isAllowedDomain, isLoopbackName, normalizeHost, uriHost } from "~/platform/config/domains";
import { Refusal } from "~/platform/refusals/refusal";
import { authenticationFailed, requireProof } from "../tokens/authentication-failed";
import { maxSiweMessageLength } from "./gate-bodies";
import type { SiweSignIn } from "./gate-bodies";
import type { SiweClaims } from "../tokens/access-token.schema";
import { requireOwnHost } from "./proof.server";
import type { Proof, ProofDependencies, ProofRequest, SignedClaim } from "./proof.server";

const maxAgeMs = 10 * 60_000;
const maxAheadMs = 60_000;

type SiweRequest = ProofRequest & { body: SiweSignIn };
type SiweClaim = SignedClaim & { clientId: string; nonce: string; siwe: SiweClaims };

export const siweProof: Proof<SiweRequest, SiweClaim> = {
  kind: "siwe",
  matches: (request): request is SiweRequest => request.body?.tier === "siwe",
  read: readSiwe,
  spend: consumeNonce,
  spendBefore: "chain",
  claims: ({ siwe }) => siwe,
};

async function readSiwe(
  { body, clientId, host }: SiweRequest,
  dependencies: ProofDependencies,
): Promise<SiweClaim> {
  if (!dependencies.isStateActive) throw new Refusal("siwe-not-enabled");
  const { domains, allowsPlainHttp, clock } = dependencies;
  const { address, keyKind, tokenId, vault, message, nonce, signature } = body;
  const requestHost = requireOwnHost(host, domains);
  const { chainId } = keyKind;
  const expected = { domains, allowsPlainHttp, requestHost, chainId, address, nonce, nowMs: clock() };
  return {
    address: address.toLowerCase() as Address,
    keyKind,
    tokenId,
    vault,
    signedText: message,
    signature: signature as `0x${string}`,
    clientId,
    nonce,
    siwe: await checkSiweMessage(readSiweMessage(message), expected),
  };
}

async function consumeNonce(
  { clientId, nonce: value }: SiweClaim,
  { nonceBinding, nonces }: ProofDependencies,
): Promise<void> {
  const verdict = await nonces.consumeNonce({ value, clientId: nonceBinding === "none" ? null : clientId });
  if (verdict !== "consumed") throw authenticationFailed(nonceDetails[verdict]);
}

const nonceDetails = {
  unknown: "The nonce was not issued here. Get a new one from /api/nonce and sign again.",
  expired: "The nonce has expired. Get a new one from /api/nonce and sign again.",
  used: "The nonce has been used already. Get a new one from /api/nonce and sign again.",
  "other-client":
    "The nonce was issued to another client. Get a new one from /api/nonce over the same connection and sign again.",
} as const;

/** Checks the grammar only, and normalises the domain like the request's host. */
export function readSiweMessage(text: string): SiweMessage {
  if (text.length > maxSiweMessageLength) {
    throw refuseMessage(`it is longer than ${maxSiweMessageLength} characters`);
  }
  const message = parseStrictly(text);
  const host = normalizeHost(message.domain);
  if (host === null) throw refuseMessage("its domain is not a plain host with an optional port");
  if (!Number.isSafeInteger(message.chainId)) throw refuseMessage("its chain id is too large");
  requireMoment("issued-at time", message.issuedAt);
  requireMoment("not-before time", message.notBefore);
  requireMoment("expiration time", message.expirationTime);
  message.domain = host;
  return message;
}

/** Also refuses what the package only warns about, or would write differently. */
function parseStrictly(text: string): SiweMessage {
  const parsed = parse(text);
  const { address, warnings } = parsed;
  const isChecksummed = checksumAddress(address as Address) === address;
  if (!isChecksummed) throw refuseMessage("invalid EIP-55 address checksum");
  // The package warns about every one-case address, which is the right checksum for one in two thousand.
  const digits = address.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (warnings.length > (isOneCase ? 1 : 0)) throw refuseMessage("it departs from the standard");
  // Reveals what the parser drops or rounds, such as digits of a chain ID.
  if (parsed.toMessage() !== text) throw refuseMessage("it is not written the way the standard writes it");
  return parsed;
}

function parse(text: string): SiweMessage {
  try {
    return new SiweMessage(text);
  } catch (error) {
    // The error's own text repeats parts of the message.
    const [first = ""] = error instanceof SiweParseError ? error.errors : [];
    throw refuseMessage(/^line \d+: [a-zA-Z0-9 -]+?(?= - |$)/.exec(first)?.[0] ?? "it could not be read");
  }
}

/** The grammar accepts leap seconds, which no clock here can represent. */
function requireMoment(name: string, time: string | undefined): void {
  if (time !== undefined && Number.isNaN(Date.parse(time))) {
    throw refuseMessage(`its ${name} is not a moment in time`);
  }
}

function refuseMessage(reason: string): Refusal {
  return authenticationFailed(`The message is not a valid EIP-4361 message: ${reason}.`);
}

type ExpectedSiwe = Pick<ProofDependencies, "domains" | "allowsPlainHttp"> & {
  chainId: number;
  requestHost: string;
  /** In any case. */
  address: string;
  nonce: string;
  nowMs: number;
};

/** Every expectation is required, so that no check can be skipped. */
export async function checkSiweMessage(message: SiweMessage, expected: ExpectedSiwe): Promise<SiweClaims> {
  requireOwnSite(message, expected);
  requireRecent(message, expected.nowMs);
  await requireValid(message, expected);
  const { address, domain, chainId, nonce, issuedAt = "", notBefore, expirationTime } = message;
  return {
    address,
    domain,
    chainId,
    nonce,
    issuedAt,
    ...(notBefore !== undefined && { notBefore }),
    ...(expirationTime !== undefined && { expirationTime }),
  };
}

function requireOwnSite({ domain, uri }: SiweMessage, expected: ExpectedSiwe): void {
  const { domains, requestHost, allowsPlainHttp } = expected;
  requireProof(
    isAllowedDomain(requestHost, domains),
    `The request was sent to ${requestHost}, which is not a domain of this site.`,
  );
  requireProof(
    isAllowedDomain(domain, domains),
    `The message is for another site: its domain ${domain} is not allowed here.`,
  );
  requireProof(
    isAllowedDomain(uriHost(uri), domains),
    "The URI in the message is not an http or https address of this site.",
  );
  const { protocol, hostname } = new URL(uri);
  requireProof(
    protocol !== "http:" || allowsPlainHttp || isLoopbackName(hostname),
    "The URI in the message begins with http://, but the pages of this site begin with https://.",
  );
}

/** The package checks a message's own times, but no maximum age. */
function requireRecent({ issuedAt = "" }: SiweMessage, nowMs: number): void {
  const issuedAtMs = Date.parse(issuedAt);
  requireProof(
    nowMs - issuedAtMs <= maxAgeMs,
    "The message was issued more than 10 minutes ago. Sign a new one.",
  );
  requireProof(
    issuedAtMs - nowMs <= maxAheadMs,
    "The message was issued more than a minute in the future. Check the clock of your device and sign again.",
  );
}

/** Strict mode refuses if an expectation is missing. */
async function requireValid(message: SiweMessage, expected: ExpectedSiwe): Promise<void> {
  const { nonce, chainId, address, nowMs } = expected;
  const params = {
    // Verified later: the nonce is used up first, and an outage must not look like a bad signature.
    signature: "",
    nonce,
    chainId,
    // Strict mode requires both. The allowlist has checked them already.
    domain: message.domain,
    uri: message.uri,
    time: new Date(nowMs).toISOString(),
  };
  const config = assumeSigner(address);
  const { success, error } = await message.verify(params, { strict: true, suppressExceptions: true, config });
  if (success) return;
  throw authenticationFailed(mismatchDetail(error?.type, message, expected));
}

/** Compares the message's address only. `proveAndJudge` verifies the signature. */
function assumeSigner(address: string): SiweConfig {
  return { verifyMessage: () => address, hashMessage, getAddress };
}

function mismatchDetail(type: string | undefined, { chainId }: SiweMessage, expected: ExpectedSiwe): string {
  switch (type) {
    case SiweErrorType.CHAIN_ID_MISMATCH:
      return `The message is for another chain: it names ${chainId}, this site uses ${expected.chainId}.`;
    case SiweErrorType.INVALID_SIGNATURE:
      return "The message names another address than the request does. Sign with the address you send.";
    case SiweErrorType.NONCE_MISMATCH:
    case SiweErrorType.MISSING_NONCE:
      return "The message holds another nonce than the request does.";
    case SiweErrorType.EXPIRED_MESSAGE:
      return "The message has expired. Sign a new one.";
    case SiweErrorType.NOT_YET_VALID_MESSAGE:
      return "The message is not valid yet: its not-before time lies ahead.";
    default:
      return "The message is not valid for this request.";
  }
}
