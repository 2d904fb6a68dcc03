import * as z from "zod";
import { accessClaimsSchema } from "~/gate/tokens/access-token.schema";

const { iss, sub, iat, exp, jti, tokenId, chainId, contract, key, vault, siwe_hash } =
  accessClaimsSchema.shape;

/** What a site's proxy shows for a visitor: good for one site, and for nothing but its door. */
export const doorClaimsSchema = z.object({
  iss,
  /** The site's `host[:port]` in normal form. */
  aud: z.string().min(1),
  sub,
  iat,
  exp,
  jti,
  kind: z.literal("door"),
  tokenId,
  chainId,
  contract,
  key,
  vault,
  /** The `siwe_hash` of the session's tokens, which renewals keep. */
  sid: siwe_hash,
});

export type DoorClaims = z.infer<typeof doorClaimsSchema>;
