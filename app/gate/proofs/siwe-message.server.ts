import { SiweMessage, SiweParseError } from "siwe";
import { checksumAddress } from "viem";
import type { Address } from "viem";
import { isAllowedDomain, isLoopbackName, normalizeHost, uriHost } from "~/platform/http/domains";
import type { Refusal } from "~/platform/http/refusal";
import type { SiweClaims } from "../tokens/access-token.schema";
import { authenticationFailed } from "../authentication-failed";
import { maxSiweMessageLength } from "../gate.schema";

const maxAgeMs = 10 * 60_000;
const maxAheadMs = 60_000;

/** A message that keeps to EIP-4361 in every letter. Whether it is meant for this site is not yet said. */
export type ReadSiweMessage = {
  /** EIP-55 checksummed. */
  address: string;
  /** Normalised `host[:port]`. */
  domain: string;
  uri: string;
  chainId: number;
  nonce: string;
  issuedAt: MessageTime;
  notBefore?: MessageTime;
  expirationTime?: MessageTime;
};

type MessageTime = { text: string; atMs: number };

function refuseMessage(reason: string): Refusal {
  return authenticationFailed({ detail: `The message is not a valid EIP-4361 message: ${reason}.` });
}

/** The package's judgement on the grammar. What it only warns of, and what it would write otherwise, is refused too. */
function parseStrictly(text: string): SiweMessage {
  const parsed = parse(text);
  const { address, warnings } = parsed;
  const isChecksummed = checksumAddress(address as Address) === address;
  if (!isChecksummed) throw refuseMessage("invalid EIP-55 address checksum");
  // The package warns of every address in one case, and for one in two thousand that is the right checksum.
  const foreseenWarnings = isOneCase(address.slice(2)) ? 1 : 0;
  if (warnings.length > foreseenWarnings) throw refuseMessage("it departs from the standard");
  // Whatever was signed was read: what the parser drops or rounds, such as digits of a chain id, shows here.
  if (parsed.toMessage() !== text) throw refuseMessage("it is not written the way the standard writes it");
  return parsed;
}

function parse(text: string): SiweMessage {
  try {
    return new SiweMessage(text);
  } catch (error) {
    // Of whatever kind the error is, the text was not read. Its own words repeat parts of the message.
    const [first = ""] = error instanceof SiweParseError ? error.errors : [];
    throw refuseMessage(/^line \d+: [a-zA-Z0-9 -]+?(?= - |$)/.exec(first)?.[0] ?? "it could not be read");
  }
}

function isOneCase(digits: string): boolean {
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}

function readTime(name: string, text: string): MessageTime {
  const atMs = Date.parse(text.toUpperCase());
  if (Number.isNaN(atMs)) throw refuseMessage(`its ${name} is not a moment in time`);
  return { text, atMs };
}

/** Reads a message by the strict grammar, or refuses it. Decides nothing about whom it is for. */
export function readSiweMessage(text: string): ReadSiweMessage {
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
    ...(expirationTime !== undefined && {
      expirationTime: readTime("expiration time", expirationTime),
    }),
  };
}

export type ExpectedSiwe = {
  /** The allowlist, normalised. */
  domains: readonly string[];
  /** Whether a page of this site may be one without TLS, be it not on this very machine. */
  allowsPlainHttp: boolean;
  /** The normalised host the request was sent to. */
  requestHost: string;
  chainId: number;
  /** The body's address, in any case. */
  address: string;
  /** The body's nonce. */
  nonce: string;
  nowMs: number;
};

/**
 * Whether the message is meant for this site, this request and this moment. Every expectation is required,
 * so that no check can be skipped by leaving one out. The signature and the nonce's own record are judged
 * elsewhere. Returns what the access token keeps of the message.
 */
export function checkSiweMessage(message: ReadSiweMessage, expected: ExpectedSiwe): SiweClaims {
  checkPlace(message, expected);
  if (message.chainId !== expected.chainId) {
    throw authenticationFailed({
      detail: `The message is for another chain: it names ${message.chainId}, this site uses ${expected.chainId}.`,
    });
  }
  if (message.address.toLowerCase() !== expected.address.toLowerCase()) {
    throw authenticationFailed({
      detail: "The message names another address than the request does. Sign with the address you send.",
    });
  }
  if (message.nonce !== expected.nonce) {
    throw authenticationFailed({ detail: "The message holds another nonce than the request does." });
  }
  checkTimes(message, expected.nowMs);
  const { address, domain, chainId, nonce, issuedAt, notBefore, expirationTime } = message;
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

function checkPlace(message: ReadSiweMessage, expected: ExpectedSiwe): void {
  const { domains, requestHost } = expected;
  if (!isAllowedDomain(requestHost, domains)) {
    throw authenticationFailed({
      detail: `The request was sent to ${requestHost}, which is not a domain of this site.`,
    });
  }
  if (!isAllowedDomain(message.domain, domains)) {
    throw authenticationFailed({
      detail: `The message is for another site: its domain ${message.domain} is not allowed here.`,
    });
  }
  if (message.domain !== requestHost) {
    throw authenticationFailed({
      detail: `The message is for ${message.domain}, but the request was sent to ${requestHost}.`,
    });
  }
  if (!isAllowedDomain(uriHost(message.uri), domains)) {
    throw authenticationFailed({
      detail: "The URI in the message is not an http or https address of this site.",
    });
  }
  const { protocol, hostname } = new URL(message.uri);
  if (protocol === "http:" && !expected.allowsPlainHttp && !isLoopbackName(hostname)) {
    throw authenticationFailed({
      detail: "The URI in the message begins with http://, but the pages of this site begin with https://.",
    });
  }
}

/** Each condition is what must hold, negated, so that a comparison with no number refuses too. */
function checkTimes(message: ReadSiweMessage, nowMs: number): void {
  const { issuedAt, notBefore, expirationTime } = message;
  if (!(nowMs - issuedAt.atMs <= maxAgeMs)) {
    throw authenticationFailed({
      detail: "The message was issued more than 10 minutes ago. Sign a new one.",
    });
  }
  if (!(issuedAt.atMs - nowMs <= maxAheadMs)) {
    throw authenticationFailed({
      detail:
        "The message was issued more than a minute in the future. Check the clock of your device and sign again.",
    });
  }
  if (expirationTime && !(nowMs < expirationTime.atMs)) {
    throw authenticationFailed({ detail: "The message has expired. Sign a new one." });
  }
  if (notBefore && !(nowMs >= notBefore.atMs)) {
    throw authenticationFailed({ detail: "The message is not valid yet: its not-before time lies ahead." });
  }
}
