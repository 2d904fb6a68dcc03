import type { Address } from "viem";
import * as z from "zod";
import { tokenIdRequired, tokenIdSchema } from "../kinds/token-id";
import type { KeyKind, KeyKinds } from "../kinds/kind";
import { unknownKind, findKind, firstKind, membershipId } from "../kinds/kind";

export const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "Must be a wallet address: 0x and 40 hex digits.")
  .describe("Wallet address of the signer.");

/** 64 or 65 bytes, longer for contract wallets, or empty if approved on chain. */
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

/** Far above any wallet's message. Bounds the parser's time (decision 007). */
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
    // PostgreSQL text can't contain NUL.
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

type SiweBody = z.infer<typeof siweBodySchema>;
type LegacyBody = z.infer<typeof legacyBodySchema>;
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

/** `vault` is the holder if the signer is a delegate. */
type MeantKey = { keyKind: KeyKind; tokenId: string; vault: Address | null };

export type SiweSignIn = SiweBody & MeantKey;
export type LegacySignIn = LegacyBody & MeantKey;
export type KeySubmission = FormSubmission & MeantKey;
export type GateAccessBody =
  | ({ tier: "siwe" } & SiweSignIn)
  | ({ tier: "legacy" } & LegacySignIn)
  | { tier: "bearer"; tokenId?: string; keyKind?: KeyKind };

/** Reports mistakes to `checks`. */
type BodyReader<Body> = (json: unknown, checks: z.RefinementCtx) => Body;

/** Routes are declared before the kinds of keys are known. */
export function readBy<Body>(findReader: () => BodyReader<Body>): z.ZodType<Body> {
  return z.unknown().transform((json, checks) => findReader()(json, checks)) as z.ZodType<Body>;
}

const objectSchema = z.record(z.string(), z.unknown(), { error: "The body must be a JSON object." });

/** Bodies accept more members if kinds of keys have names. */
export function createGateBodies(kinds: KeyKinds) {
  const readSiwe = readKeyed(siweBodySchema, siweBodySchema.extend(keyMembers), kinds);
  const readLegacy = readKeyed(legacyBodySchema, legacyBodySchema.extend(keyMembers), kinds);
  const bearerMembers = kinds.areNamed ? ["tokenId", "key"] : ["tokenId"];

  /** The fields that are present decide, so that a mistake is reported for its field. */
  function readAccess(json: unknown, checks: z.RefinementCtx): GateAccessBody {
    const body = pass(objectSchema, json, checks);
    if (body === null) return z.NEVER;
    const has = (name: string) => Object.hasOwn(body, name);
    if (has("message") && has("nonce")) return { tier: "siwe", ...readSiwe(body, checks) };
    if (has("timestamp")) return { tier: "legacy", ...readLegacy(body, checks) };
    if (Object.keys(body).every((name) => bearerMembers.includes(name))) {
      return { tier: "bearer", ...readBearer(body, kinds, checks) };
    }
    checks.addIssue({
      code: "custom",
      message:
        "The body fits no way in. Send address, signature, tokenId, message and nonce (SIWE), or address, signature, tokenId and timestamp (legacy), or a Bearer token.",
    });
    return z.NEVER;
  }

  return {
    readAccess,
    readSubmission: readKeyed(formSubmissionSchema, formSubmissionSchema.extend(keyMembers), kinds),
  };
}

const keyName = z.string("Must be the name of a kind of key.").optional();
const vaultSchema = z
  .string("Must be a wallet address: 0x and 40 hex digits. Without a vault, leave it out.")
  .pipe(addressSchema);
const keyMembers = { key: keyName, tokenId: tokenIdSchema.optional(), vault: vaultSchema.optional() };
type KeyMembers = { key?: string | undefined; tokenId?: string | undefined; vault?: string | undefined };

const namedBearerSchema = bearerBodySchema.extend({ key: keyName });

function readKeyed<Body extends { address: string; tokenId: string }>(
  plain: z.ZodType<Body>,
  named: z.ZodType<Omit<Body, "tokenId"> & { address: string } & KeyMembers>,
  kinds: KeyKinds,
): BodyReader<Body & MeantKey> {
  if (!kinds.areNamed) {
    const keyKind = firstKind(kinds);
    return (json, checks) => {
      const body = pass(plain, json, checks);
      return body === null ? z.NEVER : { ...body, keyKind, vault: null };
    };
  }
  return (json, checks) => {
    const body = pass(named, json, checks);
    const meant = body && findMeantKey(body, kinds, checks);
    // eslint-disable-next-line no-restricted-syntax -- Together they have every member; an Omit<> of a type parameter can't say so.
    return meant === null ? z.NEVER : ({ ...body, ...meant } as unknown as Body & MeantKey);
  };
}

function readBearer(body: unknown, kinds: KeyKinds, checks: z.RefinementCtx) {
  if (!kinds.areNamed) return pass(bearerBodySchema, body, checks) ?? z.NEVER;
  const sent = pass(namedBearerSchema, body, checks);
  if (sent === null) return z.NEVER;
  const { key, ...rest } = sent;
  const keyKind = key === undefined ? undefined : findNamed(key, kinds, checks);
  return keyKind ? { ...rest, keyKind } : rest;
}

/** Null after reporting a mistake. */
function findMeantKey(
  { key, tokenId, ...named }: KeyMembers & { address: string },
  kinds: KeyKinds,
  checks: z.RefinementCtx,
): MeantKey | null {
  const keyKind = findNamed(key, kinds, checks);
  if (keyKind === null) return null;
  const address = named.address.toLowerCase() as Address;
  const sentVault = (named.vault?.toLowerCase() as Address | undefined) ?? null;
  const vault = sentVault === address ? null : sentVault;
  if (vault !== null && keyKind.delegation === "none") {
    return refuse(
      checks,
      "vault",
      `Keys of the kind ${keyKind.name} are not for delegates. Leave vault out.`,
    );
  }
  if (keyKind.standard === "membership") {
    const memberId = membershipId(vault ?? address);
    if (tokenId === undefined || tokenId === memberId) return { keyKind, tokenId: memberId, vault };
    return refuse(checks, "tokenId", "A membership's is its holder's address as a number. Leave it out.");
  }
  return tokenId === undefined ? refuse(checks, "tokenId", tokenIdRequired) : { keyKind, tokenId, vault };
}

function findNamed(name: string | undefined, kinds: KeyKinds, checks: z.RefinementCtx): KeyKind | null {
  return findKind(kinds, name) ?? refuse(checks, "key", unknownKind);
}

function pass<Body>(schema: z.ZodType<Body>, json: unknown, checks: z.RefinementCtx): Body | null {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  for (const { message, path } of parsed.error.issues) checks.addIssue({ code: "custom", message, path });
  return null;
}

function refuse(checks: z.RefinementCtx, member: string, message: string): null {
  checks.addIssue({ code: "custom", message, path: [member] });
  return null;
}
