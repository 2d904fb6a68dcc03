import { Refusal } from "~/platform/refusals/refusal";
import { requireProof } from "../tokens/authentication-failed";

const maxAgeMs = 5 * 60_000;
const maxAheadMs = 30_000;
/** Below this a timestamp is read as seconds: as milliseconds it would lie before September 2001. */
const firstMilliseconds = 1e12;

export type LegacyEnvelope = {
  /** Canonical decimal. */
  tokenId: string;
  /** The normalised host the request was sent to. */
  domain: string;
  path: string;
  method: string;
  chainId: number;
  /** The number as sent, in whichever unit. */
  timestamp: number;
  /** keccak256 of the form's message in 0x hex, as sent; only with it does the text have a seventh line. */
  messageHash?: string;
  /** The kind of the key, but for the first: then its name is the last line. */
  keyName?: string | undefined;
};

/** Rebuilt from the request: no line of it is taken on trust (EIP-191). */
export function legacyEnvelopeText(envelope: LegacyEnvelope): string {
  const lines = [
    `I own key #${envelope.tokenId}`,
    `Domain: ${envelope.domain}`,
    `Path: ${envelope.path}`,
    `Method: ${envelope.method}`,
    `ChainId: ${envelope.chainId}`,
    `Timestamp: ${envelope.timestamp}`,
  ];
  if (envelope.messageHash !== undefined) lines.push(`Message: ${envelope.messageHash}`);
  if (envelope.keyName !== undefined) lines.push(`Key: ${envelope.keyName}`);
  return lines.join("\n");
}

/** A fraction has more than one spelling. The digest has to be kept up to and including `expiresAtMs`. */
export function checkLegacyTimestamp(timestamp: number, nowMs: number) {
  if (!Number.isSafeInteger(timestamp) || timestamp < 0 || Object.is(timestamp, -0)) {
    throw new Refusal("invalid-request", {
      detail: "The timestamp must be a whole JSON number of milliseconds since 1970.",
      members: { errors: [{ path: "timestamp", message: "must be a non-negative whole number" }] },
    });
  }
  const signedAtMs = timestamp < firstMilliseconds ? timestamp * 1000 : timestamp;
  requireProof(
    nowMs - signedAtMs <= maxAgeMs,
    "The signature is older than 5 minutes. Sign again with the present time.",
  );
  requireProof(
    signedAtMs - nowMs <= maxAheadMs,
    "The timestamp is more than 30 seconds in the future. Check the clock of your device.",
  );
  return { signedAtMs, expiresAtMs: signedAtMs + maxAgeMs };
}
