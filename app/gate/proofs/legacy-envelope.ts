import { Refusal } from "~/platform/refusals/refusal";
import { requireProof } from "../tokens/authentication-failed";

const maxAgeMs = 5 * 60_000;
const maxAheadMs = 30_000;
/** Smaller timestamps are seconds. */
const firstMilliseconds = 1e12;

export type LegacyEnvelope = {
  tokenId: string;
  /** The request's normalised host. */
  domain: string;
  path: string;
  method: string;
  chainId: number;
  /** As sent, in either unit. */
  timestamp: number;
  /** keccak256 of the form's message in hex, as sent. */
  messageHash?: string;
  /** Omitted for the first kind. */
  keyName?: string | undefined;
};

/** Rebuilt from the request, so that no line is taken on trust (EIP-191). */
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

/**
 * Fractions are refused because they have several spellings. The digest must be kept until `expiresAtMs`,
 * inclusive.
 */
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
