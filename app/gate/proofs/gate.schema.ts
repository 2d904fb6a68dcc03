import * as z from "zod";
import { tokenIdSchema } from "../kinds/token-id";

export const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "Must be a wallet address: 0x and 40 hex digits.")
  .describe("Wallet address of the signer.");

/** Ordinary ones are 64 or 65 bytes. Contract wallets' may be long, or empty for what was approved on the chain. */
const signatureSchema = z
  .string()
  .max(16_384, "The signature is too long.")
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, "Must be a signature in hex, beginning with 0x.")
  .describe("Signature in hex.");

const timestampSchema = z
  .number()
  .int("Must be a whole number of milliseconds since the epoch.")
  .nonnegative("Must not be negative.")
  .max(Number.MAX_SAFE_INTEGER, "Is too large.")
  .describe(
    "Milliseconds since the epoch, exactly as it stands in the signed text. Values below 1,000,000,000,000 are read as seconds.",
  );

/** Far above any wallet's message; bounds the time a hostile text can keep the parser busy (decision 007). */
export const maxSiweMessageLength = 2048;

export const siweBodySchema = z.object({
  address: addressSchema,
  signature: signatureSchema,
  tokenId: tokenIdSchema,
  message: z
    .string()
    .min(1)
    .max(maxSiweMessageLength, "The message is too long.")
    .describe("The EIP-4361 message that was signed, to the letter."),
  nonce: z.string().min(1).max(128).describe("The nonce from GET /api/nonce, which the message contains."),
});

export const legacyBodySchema = z.object({
  address: addressSchema,
  signature: signatureSchema,
  tokenId: tokenIdSchema,
  timestamp: timestampSchema,
});

export const bearerBodySchema = z.object({ tokenId: tokenIdSchema.optional() });

export const formSubmissionSchema = z.object({
  tokenId: tokenIdSchema,
  message: z
    .string()
    .min(1, "Write something first.")
    .max(10_000, "At most 10000 characters.")
    // PostgreSQL keeps no NUL in text; what one database takes, the other has to take as well.
    .refine((text) => !text.includes("\u0000"), "Must not contain the NUL character."),
  signature: signatureSchema,
  address: addressSchema,
  timestamp: timestampSchema,
  messageHash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "Must be a keccak256 hash in hex.")
    .optional()
    .describe("keccak256 of the message. When sent, it is the seventh line of the signed text."),
});

export type SiweBody = z.infer<typeof siweBodySchema>;
export type LegacyBody = z.infer<typeof legacyBodySchema>;
export type FormSubmission = z.infer<typeof formSubmissionSchema>;

export const tokenStatusSchema = z.object({
  tokenId: z.string(),
  exists: z.boolean().describe("Whether the key exists on the chain."),
  count: z.union([z.literal(0), z.literal(1)]).describe("1 where the key exists, else 0."),
  used: z.boolean().describe("Whether the one-time form was used with it."),
  usedBy: z.string().nullable(),
  usedAt: z.string().nullable().describe("ISO 8601, UTC."),
});
export type TokenStatus = z.infer<typeof tokenStatusSchema>;
