import type { Address } from "viem";
import * as z from "zod";
import type { KeyKind, Opening } from "../kinds/kind";

/** Bounds for every access token, renewed ones included. */
export const tokenLifeSeconds = { min: 300, max: 86_400 } as const;

export const gateScopes = ["gate:read", "chat", "tts", "tools"] as const;
export type GateScope = (typeof gateScopes)[number] | `door:${string}`;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const lowerCaseAddress = z.string().regex(/^0x[0-9a-f]{40}$/);
const chainId = z.int().min(1);
const seconds = z.int().min(0);

/** From the signed message. Times are RFC 3339, as signed; a legacy proof has the nonce "legacy". */
export const siweClaimsSchema = z.object({
  address,
  domain: z.string().min(1),
  chainId,
  nonce: z.string().regex(/^(?:legacy|[A-Za-z0-9]{8,})$/),
  issuedAt: z.string().min(1),
  notBefore: z.string().min(1).optional(),
  expirationTime: z.string().min(1).optional(),
});

export const accessClaimsSchema = z
  .object({
    iss: z.string().min(1),
    aud: z.array(z.string().min(1)).min(1),
    sub: lowerCaseAddress,
    iat: seconds,
    exp: seconds,
    nbf: seconds.optional(),
    jti: z.uuid(),
    kind: z.literal("access"),
    auth: z.enum(["siwe", "legacy"]),
    scopes: z.array(z.string().min(1)),
    tokenId: z.string().regex(/^(?:0|[1-9][0-9]{0,77})$/),
    chainId,
    contract: z.union([lowerCaseAddress, z.string().regex(/^membership:[a-z][a-z0-9-]{0,31}$/)]),
    /** The kind's name, if kinds have names. */
    key: z.string().min(1).optional(),
    /** The holder, if the bearer is a delegate. */
    vault: lowerCaseAddress.optional(),
    /** The signing wallet had no code. Checked when the key is used up. */
    undeployed: z.literal(true).optional(),
    siwe: siweClaimsSchema,
    siwe_hash: z.string().regex(/^0x[0-9a-f]{64}$/),
  })
  .refine((claims) => claims.siwe.address.toLowerCase() === claims.sub, { path: ["siwe", "address"] })
  .refine((claims) => claims.siwe.chainId === claims.chainId, { path: ["siwe", "chainId"] })
  .refine(({ iat, exp }) => exp - iat >= tokenLifeSeconds.min && exp - iat <= tokenLifeSeconds.max, {
    path: ["exp"],
  });

export type SiweClaims = z.infer<typeof siweClaimsSchema>;
export type AccessClaims = z.infer<typeof accessClaimsSchema>;

export function scopesOf({ opens }: Pick<KeyKind, "opens">): GateScope[] {
  return opens.map(toScope);
}

function toScope(opening: Opening): GateScope {
  return opening === "room" ? "gate:read" : opening;
}

export type CallerRule = {
  scope: GateScope;
  /** `by-setting`: NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT decides. */
  isRequired: true | "by-setting";
  /** How to treat an optional token. By default an invalid one counts as none. */
  otherwise?: "good-if-sent" | "optional" | "not-read";
};

/** A departure revokes earlier tokens for good, even if the key comes back. */
export function isRevokedByDeparture(departedAtMs: number | null, issuedAtSeconds: number): boolean {
  return departedAtMs !== null && issuedAtSeconds <= Math.floor(departedAtMs / 1000);
}

/** The first issue date that a departure doesn't revoke. */
export function firstSecondAfter(departedAtMs: number): number {
  return Math.floor(departedAtMs / 1000) + 1;
}

export type Holder = {
  address: Address;
  keyKind: KeyKind;
  tokenId: string;
  /** The holder, if `address` is a delegate. */
  vault: Address | null;
  /** Older tokens lack the scope if their kind opens the room only since. */
  opensRoom: boolean;
  issuedAtSeconds: number;
  /** The hash of the token's proof, if known. */
  proofHash: string | null;
};

export type TokenHolder = Holder & {
  scopes: readonly string[];
  /** The signing wallet had no code. It needs some before the key is used up. */
  isUndeployed: boolean;
};
