import { SiweMessage, SiweParseError } from "siwe";
import { checksumAddress } from "viem";
import type { Address } from "viem";
import { isAllowedDomain, isLoopbackName, normalizeHost, uriHost } from "~/platform/http/domains";
import { Refusal } from "~/platform/http/refusal";
import { authenticationFailed, requireProof } from "../authentication-failed";
import { maxSiweMessageLength } from "../gate.schema";
import type { SiweSignIn } from "../gate-bodies";
import type { SiweClaims } from "../tokens/access-token.schema";
import { shareSiweParser } from "./one-siwe-parser.server";
import { requireOwnHost } from "./proof.server";
import type { Proof, ProofDependencies, ProofRequest, SignedClaim } from "./proof.server";

shareSiweParser();

const maxAgeMs = 10 * 60_000;
const maxAheadMs = 60_000;

type SiweRequest = ProofRequest & { body: SiweSignIn };
type SiweClaim = SignedClaim & { clientId: string; nonce: string; siwe: SiweClaims };

/** An EIP-4361 message with a nonce of ours. */
export const siweProof: Proof<SiweRequest, SiweClaim> = {
  kind: "siwe",
  matches: (request): request is SiweRequest => request.body?.tier === "siwe",
  read: readSiwe,
  spend: consumeNonce,
  spendBefore: "chain",
  claims: ({ siwe }) => siwe,
};

function readSiwe({ body, clientId, host }: SiweRequest, dependencies: ProofDependencies): SiweClaim {
  if (!dependencies.siweEnabled) throw new Refusal("siwe-not-enabled");
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
    siwe: checkSiweMessage(readSiweMessage(message), expected),
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

export type ReadSiweMessage = ReturnType<typeof readSiweMessage>;
type MessageTime = { text: string; atMs: number };

/** Checks the strict grammar, not whom the message is for. The address is checksummed, the domain normalised. */
export function readSiweMessage(text: string) {
  if (text.length > maxSiweMessageLength) {
    throw refuseMessage(`it is longer than ${maxSiweMessageLength} characters`);
  }
  const { address, domain, uri, chainId, nonce, issuedAt, notBefore, expirationTime } = parseStrictly(text);
  const host = normalizeHost(domain);
  if (host === null) throw refuseMessage("its domain is not a plain host with an optional port");
  if (!Number.isSafeInteger(chainId)) throw refuseMessage("its chain id is too large");
  return {
    address,
    domain: host,
    uri,
    chainId,
    nonce,
    issuedAt: readTime("issued-at time", issuedAt ?? ""),
    ...(notBefore !== undefined && { notBefore: readTime("not-before time", notBefore) }),
    ...(expirationTime !== undefined && { expirationTime: readTime("expiration time", expirationTime) }),
  };
}

/** The package's judgement on the grammar. What it only warns of, and what it would write otherwise, is refused too. */
function parseStrictly(text: string): SiweMessage {
  const parsed = parse(text);
  const { address, warnings } = parsed;
  const isChecksummed = checksumAddress(address as Address) === address;
  if (!isChecksummed) throw refuseMessage("invalid EIP-55 address checksum");
  // The package warns of every address in one case, and for one in two thousand that is the right checksum.
  const digits = address.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (warnings.length > (isOneCase ? 1 : 0)) throw refuseMessage("it departs from the standard");
  // Whatever was signed was read: what the parser drops or rounds, such as digits of a chain id, shows here.
  if (parsed.toMessage() !== text) throw refuseMessage("it is not written the way the standard writes it");
  return parsed;
}

function parse(text: string): SiweMessage {
  try {
    return new SiweMessage(text);
  } catch (error) {
    // Any error means that the text could not be read; the error's own text repeats parts of the message.
    const [first = ""] = error instanceof SiweParseError ? error.errors : [];
    throw refuseMessage(/^line \d+: [a-zA-Z0-9 -]+?(?= - |$)/.exec(first)?.[0] ?? "it could not be read");
  }
}

function readTime(name: string, text: string): MessageTime {
  const atMs = Date.parse(text.toUpperCase());
  if (Number.isNaN(atMs)) throw refuseMessage(`its ${name} is not a moment in time`);
  return { text, atMs };
}

function refuseMessage(reason: string): Refusal {
  return authenticationFailed(`The message is not a valid EIP-4361 message: ${reason}.`);
}

export type ExpectedSiwe = Pick<ProofDependencies, "domains" | "allowsPlainHttp"> & {
  chainId: number;
  requestHost: string;
  /** In any case. */
  address: string;
  nonce: string;
  nowMs: number;
};

/** Meant for this site, request and moment? Every expectation is required, so that no check can be skipped. */
export function checkSiweMessage(message: ReadSiweMessage, expected: ExpectedSiwe): SiweClaims {
  requireOwnSite(message, expected);
  const { address, domain, chainId, nonce, issuedAt, notBefore, expirationTime } = message;
  requireProof(
    chainId === expected.chainId,
    `The message is for another chain: it names ${chainId}, this site uses ${expected.chainId}.`,
  );
  requireProof(
    address.toLowerCase() === expected.address.toLowerCase(),
    "The message names another address than the request does. Sign with the address you send.",
  );
  requireProof(nonce === expected.nonce, "The message holds another nonce than the request does.");
  requirePresent(message, expected.nowMs);
  return {
    address,
    domain,
    chainId,
    nonce,
    issuedAt: issuedAt.text,
    ...(notBefore && { notBefore: notBefore.text }),
    ...(expirationTime && { expirationTime: expirationTime.text }),
  };
}

function requireOwnSite({ domain, uri }: ReadSiweMessage, expected: ExpectedSiwe): void {
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

function requirePresent({ issuedAt, notBefore, expirationTime }: ReadSiweMessage, nowMs: number): void {
  requireProof(
    nowMs - issuedAt.atMs <= maxAgeMs,
    "The message was issued more than 10 minutes ago. Sign a new one.",
  );
  requireProof(
    issuedAt.atMs - nowMs <= maxAheadMs,
    "The message was issued more than a minute in the future. Check the clock of your device and sign again.",
  );
  requireProof(!expirationTime || nowMs < expirationTime.atMs, "The message has expired. Sign a new one.");
  requireProof(
    !notBefore || nowMs >= notBefore.atMs,
    "The message is not valid yet: its not-before time lies ahead.",
  );
}
