import { isAllowedDomain, isLoopbackName, normalizeHost, uriHost } from "~/platform/http/domains";
import type { Refusal } from "~/platform/http/refusal";
import type { SiweClaims } from "./access-token.schema";
import { authenticationFailed } from "./authentication-failed";
import { SiweGrammarFault, readSiweGrammar } from "./siwe-grammar";
import type { WrittenSiweMessage } from "./siwe-grammar";

/** Far above any wallet's message; bounds the time a hostile text can keep the grammar busy. */
const maxMessageLength = 4096;
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

function refuseMessage(reason: string, cause?: unknown): Refusal {
  return authenticationFailed({ detail: `The message is not a valid EIP-4361 message: ${reason}.`, cause });
}

function parseStrictly(text: string): WrittenSiweMessage {
  try {
    return readSiweGrammar(text);
  } catch (cause) {
    if (!(cause instanceof SiweGrammarFault)) throw cause;
    throw refuseMessage(cause.message, cause);
  }
}

function readTime({ name, text }: { name: string; text: string }): MessageTime {
  const atMs = Date.parse(text.toUpperCase());
  if (Number.isNaN(atMs)) throw refuseMessage(`its ${name} is not a moment in time`);
  return { text, atMs };
}

/** Reads a message by the strict grammar, or refuses it. Decides nothing about whom it is for. */
export function readSiweMessage({ text }: { text: string }): ReadSiweMessage {
  if (text.length > maxMessageLength) {
    throw refuseMessage(`it is longer than ${maxMessageLength} characters`);
  }
  const { address, domain, uri, nonce, issuedAt, notBefore, expirationTime, ...written } =
    parseStrictly(text);
  const host = normalizeHost(domain);
  if (host === null) throw refuseMessage("its domain is not a plain host with an optional port");
  const chainId = Number(written.chainId);
  if (!Number.isSafeInteger(chainId)) throw refuseMessage("its chain id is too large");
  return {
    address,
    domain: host,
    uri,
    chainId,
    nonce,
    issuedAt: readTime({ name: "issued-at time", text: issuedAt }),
    ...(notBefore !== undefined && { notBefore: readTime({ name: "not-before time", text: notBefore }) }),
    ...(expirationTime !== undefined && {
      expirationTime: readTime({ name: "expiration time", text: expirationTime }),
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
export function checkSiweMessage({
  message,
  expected,
}: {
  message: ReadSiweMessage;
  expected: ExpectedSiwe;
}): SiweClaims {
  checkPlace({ message, expected });
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
  checkTimes({ message, nowMs: expected.nowMs });
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

function checkPlace({ message, expected }: { message: ReadSiweMessage; expected: ExpectedSiwe }): void {
  const { domains, requestHost } = expected;
  if (!isAllowedDomain({ host: requestHost, domains })) {
    throw authenticationFailed({
      detail: `The request was sent to ${requestHost}, which is not a domain of this site.`,
    });
  }
  if (!isAllowedDomain({ host: message.domain, domains })) {
    throw authenticationFailed({
      detail: `The message is for another site: its domain ${message.domain} is not allowed here.`,
    });
  }
  if (message.domain !== requestHost) {
    throw authenticationFailed({
      detail: `The message is for ${message.domain}, but the request was sent to ${requestHost}.`,
    });
  }
  if (!isAllowedDomain({ host: uriHost(message.uri), domains })) {
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
function checkTimes({ message, nowMs }: { message: ReadSiweMessage; nowMs: number }): void {
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
