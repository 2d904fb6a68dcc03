import * as z from "zod";

/** No access token lives shorter or longer, a renewed one neither. */
export const tokenLifeSeconds = { min: 300, max: 86_400 } as const;

/** What a gate token lets its bearer reach. */
export const gateScopes = ["gate:read", "chat", "tts", "tools"] as const;
export type GateScope = (typeof gateScopes)[number] | `door:${string}`;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const lowerCaseAddress = z.string().regex(/^0x[0-9a-f]{40}$/);
const chainId = z.int().min(1);
const seconds = z.int().min(0);

/** What the signed message said. Times are RFC 3339 text, as signed; a legacy proof has the nonce "legacy". */
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
    /** The name of the kind of key, where kinds have names. */
    key: z.string().min(1).optional(),
    /** The wallet that holds the key, where the bearer is its delegate. */
    vault: lowerCaseAddress.optional(),
    /** The wallet that signed had no code. It is asked for when the key is used up. */
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
