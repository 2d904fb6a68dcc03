import { randomUUID } from "node:crypto";
import { keccak256, stringToBytes } from "viem";
import type { AccessClaims, GateScope } from "./access-token.schema";
import { accessClaimsSchema, firstSecondAfter, scopesOf } from "./access-token.schema";
import { accessTokenRefused } from "./authentication-failed";
import type { KeyKind, KeyKinds } from "../kinds/kind";
import { findKind } from "../kinds/kind";
import { maxTokenLength, readSignedToken, requireToken, signToken } from "./signed-token.server";
import type { SignedTokenRules } from "./signed-token.server";
import type { TokenKeys } from "./token-keys.server";

const tokenType = "at+jwt";

export type VerifiedToken = { claims: AccessClaims; keyKind: KeyKind };

type MintedAccessToken = { token: string; claims: AccessClaims };

type MintAccessTokenOptions = Pick<AccessClaims, "auth" | "tokenId" | "siwe"> & {
  keys: TokenKeys;
  address: string;
  keyKind: KeyKind;
  /** Whether the token names its kind. */
  areNamed: boolean;
  vault?: string | null;
  isUndeployed?: boolean;
  /** Everything that the kind opens by default. */
  scopes?: readonly GateScope[];
  /** The text that was signed. */
  signedText: string;
  ttlSeconds: number;
  issuer: string;
  audience: readonly string[];
  issuedAtMs: number;
  departedAtMs?: number | null;
};

/** After a departure in this second, the token is dated beyond it. */
export async function mintAccessToken(options: MintAccessTokenOptions): Promise<MintedAccessToken> {
  const { auth, keyKind, tokenId, vault = null, siwe, issuedAtMs, departedAtMs = null } = options;
  const earliest = departedAtMs === null ? 0 : firstSecondAfter(departedAtMs);
  const iat = Math.max(Math.floor(issuedAtMs / 1000), earliest);
  return await sign(options.keys, {
    iss: options.issuer,
    aud: [...options.audience],
    sub: options.address.toLowerCase(),
    iat,
    exp: iat + options.ttlSeconds,
    kind: "access",
    auth,
    scopes: [...(options.scopes ?? scopesOf(keyKind))],
    tokenId,
    chainId: keyKind.chainId,
    contract: contractOf(keyKind),
    ...(options.areNamed && { key: keyKind.name }),
    ...(vault !== null && { vault: vault.toLowerCase() }),
    ...(options.isUndeployed && { undeployed: true as const }),
    siwe,
    siwe_hash: keccak256(stringToBytes(options.signedText)),
  });
}

export type ReissueAccessTokenOptions = {
  keys: TokenKeys;
  claims: AccessClaims;
  issuedAtSeconds: number;
  expiresAtSeconds: number;
};

/** The same proof with new dates. The caller bounds `expiresAtSeconds`. */
export async function reissueAccessToken(options: ReissueAccessTokenOptions): Promise<MintedAccessToken> {
  const { keys, claims, issuedAtSeconds: iat, expiresAtSeconds: exp } = options;
  return await sign(keys, { ...claims, iat, exp });
}

/** Validates before signing what would be refused later. */
async function sign(keys: TokenKeys, dated: Omit<AccessClaims, "jti">): Promise<MintedAccessToken> {
  const claims = accessClaimsSchema.parse({ ...dated, jti: randomUUID() });
  return { token: await signToken(keys, tokenType, claims), claims };
}

type ExpectedAccess = SignedTokenRules["expected"] & { kinds: KeyKinds };

type VerifyAccessTokenOptions = SignedTokenRules & { token: string; expected: ExpectedAccess };

/**
 * Scope, revocation and ownership are checked elsewhere. Valid until `exp` plus the tolerance, exclusive.
 * Drops scopes that the kind no longer opens.
 */
export async function verifyAccessToken({
  token,
  ...rules
}: VerifyAccessTokenOptions): Promise<VerifiedToken> {
  const claims = await readSignedToken({ token, type: tokenType, schema: accessClaimsSchema, ...rules });
  const keyKind = requireTokenKind(claims, rules.expected.kinds);
  const opened: readonly string[] = scopesOf(keyKind);
  return { claims: { ...claims, scopes: claims.scopes.filter((scope) => opened.includes(scope)) }, keyKind };
}

export function requireTokenKind(
  claims: Pick<AccessClaims, "key" | "chainId" | "contract" | "vault">,
  kinds: KeyKinds,
): KeyKind {
  const isNamed = claims.key !== undefined;
  const keyKind = findKind(kinds, claims.key);
  if (!keyKind || isNamed !== kinds.areNamed) {
    throw accessTokenRefused("The access token is not for a kind of key that this site has. Sign in again.");
  }
  requireToken(
    claims.chainId === keyKind.chainId,
    `The access token is for another chain: it names ${claims.chainId}, this site uses ${keyKind.chainId}.`,
  );
  requireToken(
    claims.contract === contractOf(keyKind),
    `The access token is for keys of another contract: it names ${claims.contract}, this site uses ${keyKind.contract ?? contractOf(keyKind)}. Sign in again.`,
  );
  requireToken(
    claims.vault === undefined || keyKind.delegation !== "none",
    "The access token is a delegate's, and keys of its kind are not for delegates any more.",
  );
  return keyKind;
}

/** The claim `contract`. */
export function contractOf({ keptUnder }: KeyKind): string {
  return keptUnder.contractAddress.toLowerCase();
}

/** Every named kind has a session, which is empty if the kind doesn't open the room. */
export function requireScope({ claims }: VerifiedToken, requiredScope: GateScope): void {
  if (requiredScope === "gate:read" && claims.key !== undefined) return;
  requireToken(
    claims.scopes.includes(requiredScope),
    `The access token does not reach this far: it lacks the scope ${requiredScope}.`,
  );
}

/** The characters of RFC 6750, and no more of them than our tokens have. */
export function isBearerToken(text: string): boolean {
  return text.length <= maxTokenLength && /^[A-Za-z0-9._~+/-]+=*$/.test(text);
}

/** Exactly `Bearer`, one space and one token. */
export function parseBearerHeader(value: string): string {
  const token = value.startsWith("Bearer ") ? value.slice("Bearer ".length) : "";
  if (isBearerToken(token)) return token;
  throw accessTokenRefused(
    'The Authorization header must be exactly "Bearer", one space and the access token.',
  );
}
