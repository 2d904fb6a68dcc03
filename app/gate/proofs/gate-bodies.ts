import type { Address } from "viem";
import * as z from "zod";
import {
  addressSchema,
  bearerBodySchema,
  formSubmissionSchema,
  legacyBodySchema,
  siweBodySchema,
} from "./gate.schema";
import type { FormSubmission, LegacyBody, SiweBody } from "./gate.schema";
import { tokenIdRequired, tokenIdSchema } from "../kinds/token-id";
import type { KeyKind, KeyKinds } from "../kinds/kind";
import { unknownKind } from "../kinds/require-kind";
import { findKind, firstKind, membershipId } from "../kinds/kind-of-key";

/** Which key a body means, and whose it is where the signer is only a delegate. */
type MeantKey = { keyKind: KeyKind; tokenId: string; vault: Address | null };

export type SiweSignIn = SiweBody & MeantKey;
export type LegacySignIn = LegacyBody & MeantKey;
export type KeySubmission = FormSubmission & MeantKey;
export type GateAccessBody =
  | ({ tier: "siwe" } & SiweSignIn)
  | ({ tier: "legacy" } & LegacySignIn)
  | { tier: "bearer"; tokenId?: string; keyKind?: KeyKind };

/** Reports what is wrong to `checks`. */
type BodyReader<Body> = (json: unknown, checks: z.RefinementCtx) => Body;

/** For a route, which is declared before the kinds of keys are known. */
export function readBy<Body>(findReader: () => BodyReader<Body>): z.ZodType<Body> {
  return z.unknown().transform((json, checks) => findReader()(json, checks)) as z.ZodType<Body>;
}

const objectSchema = z.record(z.string(), z.unknown(), { error: "The body must be a JSON object." });

export type GateBodies = ReturnType<typeof createGateBodies>;

/** What the gate's routes take, which is more where kinds of keys have names. */
export function createGateBodies(kinds: KeyKinds) {
  const readSiwe = readKeyed(siweBodySchema, siweBodySchema.extend(keyMembers), kinds);
  const readLegacy = readKeyed(legacyBodySchema, legacyBodySchema.extend(keyMembers), kinds);
  const bearerMembers = kinds.areNamed ? ["tokenId", "key"] : ["tokenId"];

  /** Told by the fields that are present, so that a mistake in one is reported for that field. */
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

/** Null where something is wrong, which is reported. */
function findMeantKey(
  { key, tokenId, ...named }: KeyMembers & { address: string },
  kinds: KeyKinds,
  checks: z.RefinementCtx,
): MeantKey | null {
  const keyKind = findNamed(key, kinds, checks);
  if (keyKind === null) return null;
  const address = named.address.toLowerCase() as Address;
  const sentVault = (named.vault?.toLowerCase() as Address | undefined) ?? null;
  // Nobody needs to be a delegate of their own wallet.
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
