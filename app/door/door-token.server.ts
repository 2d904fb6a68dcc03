import { randomUUID } from "node:crypto";
import { requireTokenKind } from "~/gate/tokens/access-token.server";
import { readSignedToken, signToken, createVerifiedTokens } from "~/gate/tokens/signed-token.server";
import type { SignedTokenRules } from "~/gate/tokens/signed-token.server";
import type { KeyKind, KeyKinds } from "~/gate/kinds/kind";
import type { DoorSite } from "./door.settings";
import * as z from "zod";
import { accessClaimsSchema } from "~/gate/tokens/access-token.schema";

const tokenType = "door+jwt";

export type DoorToken = { claims: DoorClaims; keyKind: KeyKind };
/** Claims about the holder. The rest comes from the site and the clock. */
export type DoorGrant = Omit<DoorClaims, "iss" | "aud" | "exp" | "jti" | "kind">;

export type DoorTokens = ReturnType<typeof createDoorTokens>;

type DoorTokenOptions = Omit<SignedTokenRules, "expected"> & {
  issuer: string;
  kinds: KeyKinds;
  sites: readonly DoorSite[];
  ttlSeconds: number;
};

export function createDoorTokens({ issuer, kinds, sites, ttlSeconds, ...rules }: DoorTokenOptions) {
  const expected = { issuer, audience: sites.map(({ host }) => host) };
  const verified = createVerifiedTokens({ ...rules, verify });

  async function verify(token: string): Promise<DoorToken> {
    const claims = await readSignedToken({
      token,
      type: tokenType,
      schema: doorClaimsSchema,
      expected,
      ...rules,
    });
    return { claims, keyKind: requireTokenKind(claims, kinds) };
  }

  return {
    /** Accepts tokens of any site; the caller compares. Throws the refusal of a bad token. */
    read: verified.read,
    async mint(grant: DoorGrant, site: string): Promise<{ token: string; expiresAtSeconds: number }> {
      const exp = grant.iat + ttlSeconds;
      // Parsed before signing too, so that we sign nothing that we would refuse.
      const claims = doorClaimsSchema.parse({
        ...grant,
        iss: issuer,
        aud: site,
        exp,
        kind: "door",
        jti: randomUUID(),
      });
      return { token: await signToken(rules.keys, tokenType, claims), expiresAtSeconds: exp };
    },
  };
}

const { iss, sub, iat, exp, jti, tokenId, chainId, contract, key, vault, siwe_hash } =
  accessClaimsSchema.shape;

/** For one site's door only. */
const doorClaimsSchema = z.object({
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

type DoorClaims = z.infer<typeof doorClaimsSchema>;
