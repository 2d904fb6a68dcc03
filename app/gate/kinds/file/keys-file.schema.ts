import { isAddress } from "viem";
import type { Address } from "viem";
import * as z from "zod";
import { normalizeSite } from "~/platform/config/domains";

/** The schema of KEYS_FILE. requirement-file.ts reads requirements. */

const maxTextChars = 120;
const maxUrlChars = 2_000;
const maxInlineAddresses = 10_000;
const maxUint256 = 2n ** 256n - 1n;

/** A required member; `words` describe it. */
function written<Value>(isWellFormed: (value: unknown) => boolean, words: string) {
  return z.custom<Value>(isWellFormed, {
    error: ({ input }) => (input === undefined ? "is missing." : words),
  });
}

const matches = (pattern: RegExp) => (value: unknown) => typeof value === "string" && pattern.test(value);

function isUint256(value: unknown): boolean {
  return typeof value === "string" && /^(?:0|[1-9]\d{0,77})$/.test(value) && BigInt(value) <= maxUint256;
}

function isPlainText(value: unknown): boolean {
  if (typeof value !== "string" || value.trim() !== value || value === "") return false;
  return [...value].length <= maxTextChars && !/\p{Cc}|\p{Bidi_Control}|\p{Zl}|\p{Zp}/u.test(value);
}

function isWebAddress(value: unknown): boolean {
  if (typeof value !== "string" || value.length > maxUrlChars || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return ["https:", "http:"].includes(protocol) && !username && !password;
}

function isOpening(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return openings.includes(value) || (value.startsWith("door:") && normalizeSite(value.slice(5)) !== null);
}

const openings: readonly string[] = ["room", "chat", "tts", "tools"];

const address = written<Address>(
  (value) => typeof value === "string" && isAddress(value),
  "must be an address: 0x and 40 hex digits, with a right checksum if mixed case.",
);
export const chainIdSchema = written<number>(
  (value) => typeof value === "number" && Number.isSafeInteger(value) && value > 0,
  "must be a positive whole number.",
);
const plainText = written<string>(
  isPlainText,
  `must be one line of 1 to ${maxTextChars} visible characters, without spaces around it.`,
);
const amount = written<string>(
  (value) => isUint256(value) && value !== "0",
  'must be a whole number of at least 1 in base units, in quotation marks: "1".',
);
const tokenId = written<string>(
  isUint256,
  'must be a token id as decimal digits in quotation marks, without leading zeros: "7".',
);
const truth = written<boolean>((value) => typeof value === "boolean", "must be true or false.");
const webAddress = written<string>(
  isWebAddress,
  `must be an https:// or http:// address of at most ${maxUrlChars} characters, without user name.`,
);

const offer = z.strictObject(
  { url: webAddress, text: plainText },
  "must be an object with `url` and `text`.",
);

const notes = { label: plainText.optional(), secret: truth.optional(), get: offer.optional() };
const counted = { ...notes, chainId: chainIdSchema, atLeast: amount };

export const leafSchemas = {
  erc721: z.strictObject({ ...counted, erc721: address }),
  erc20: z.strictObject({ ...counted, erc20: address }),
  erc1155: z.strictObject({ ...counted, erc1155: address, tokenId }),
  native: z.strictObject({
    ...counted,
    native: written<true>((value) => value === true, "must be true."),
  }),
  unlock: z.strictObject({ ...notes, chainId: chainIdSchema, unlock: address }),
  addresses: z.strictObject({
    ...notes,
    addresses: z
      .array(address, "must be a list of addresses.")
      .max(maxInlineAddresses, `must list at most ${maxInlineAddresses}; use addressesFile for more.`),
  }),
  addressesFile: z.strictObject({
    ...notes,
    addressesFile: written<string>(matches(/^[^\0]{1,1000}$/), "must be the path of a file."),
  }),
};

const common = {
  name: written<string>(
    matches(/^[a-z][a-z0-9-]{0,31}$/),
    "must be 1 to 32 of a-z, 0-9 and -, beginning with a letter.",
  ),
  title: plainText,
  delegation: z.enum(["none", "full", "latchkey"], "must be none, full or latchkey.").default("none"),
  delegatesMayUse: truth.default(false),
  opens: z
    .array(written<string>(isOpening, "must be room, chat, tts, tools or door:<host>."), "must be a list.")
    .min(1, "must name something.")
    .default([...openings]),
  get: offer.optional(),
};

const tokenStandards = ["erc721", "erc1155", "unlock", "erc4907"] as const;

export const standardSchema = z.enum([...tokenStandards, "membership"], {
  error: ({ input }) =>
    input === undefined ? "is missing." : `must be one of ${[...tokenStandards, "membership"].join(", ")}.`,
});
export const tokenKindSchema = z.strictObject({
  ...common,
  standard: z.enum(tokenStandards),
  chainId: chainIdSchema,
  contract: address,
  also: z.unknown().optional(),
});
export const membershipSchema = z.strictObject({
  ...common,
  standard: z.literal("membership"),
  chainId: chainIdSchema.optional(),
  requires: z.unknown().optional(),
});

export const keysFileSchema = z.strictObject(
  {
    chains: z.record(z.string(), z.unknown(), { error: missingOr("must be an object.") }),
    keys: z
      .array(z.unknown(), { error: missingOr("must be a list.") })
      .min(1, "must list at least one kind of key.")
      .max(50, "must list at most 50 kinds of keys."),
  },
  "must be an object with `chains` and `keys`.",
);
export const fileChainSchema = z.strictObject(
  {
    rpcUrl: z
      .array(webAddressWithCredentials(), "must be a list of addresses.")
      .min(1, "must list at least one address.")
      .optional(),
  },
  "must be an object.",
);

function webAddressWithCredentials() {
  const isAsked = (value: unknown) =>
    typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
  return written<string>(isAsked, "must begin with https:// or http://.");
}

function missingOr(words: string) {
  return ({ input }: { input?: unknown }) => (input === undefined ? "is missing." : words);
}
