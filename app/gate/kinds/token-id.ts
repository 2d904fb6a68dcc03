import * as z from "zod";
import { Refusal } from "~/platform/refusals/refusal";

/** `tokenId` is a canonical decimal string. */
export type KeyRef = { chainId: number; contractAddress: string; tokenId: string };

const maxTokenId = 2n ** 256n - 1n;
const digits = /^[0-9]{1,78}$/;

export const malformedTokenIdDetail =
  "Token ID must be numeric: decimal digits up to 2^256-1, or a JSON integer from 0 to 9007199254740991.";

function canonicalTokenId(input: string | number): string | null {
  if (typeof input === "number") {
    // `String(-0)` would hide the sign.
    return Number.isSafeInteger(input) && input >= 0 && !Object.is(input, -0) ? String(input) : null;
  }
  if (!digits.test(input)) return null;
  const value = BigInt(input);
  return value <= maxTokenId ? value.toString() : null;
}

/** Returns the canonical decimal string. Leading zeros count towards the 78 digits. */
export function parseTokenId(input: unknown): string {
  const tokenId = typeof input === "string" || typeof input === "number" ? canonicalTokenId(input) : null;
  if (tokenId === null) throw new Refusal("invalid-tokenid", { detail: malformedTokenIdDetail });
  return tokenId;
}

export const tokenIdRequired = "Token ID is required";

/** For bodies. */
export const tokenIdSchema = z
  .union(
    [
      z.string().regex(digits, malformedTokenIdDetail),
      z.int(malformedTokenIdDetail).min(0, malformedTokenIdDetail),
    ],
    {
      error: (issue) => (issue.input === undefined ? tokenIdRequired : malformedTokenIdDetail),
    },
  )
  .transform((input, context) => {
    const tokenId = canonicalTokenId(input);
    if (tokenId !== null) return tokenId;
    context.addIssue({ code: "custom", message: malformedTokenIdDetail });
    return z.NEVER;
  });
