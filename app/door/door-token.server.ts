import { randomUUID } from "node:crypto";
import { requireTokenKind } from "~/gate/tokens/access-token.server";
import { readSignedToken, signToken, createVerifiedTokens } from "~/gate/tokens/signed-token.server";
import type { SignedTokenRules } from "~/gate/tokens/signed-token.server";
import type { KeyKind, KeyKinds } from "~/gate/kinds/kind";
import type { DoorSite } from "./door.settings";
import { doorClaimsSchema } from "./door-token.schema";
import type { DoorClaims } from "./door-token.schema";

const tokenType = "door+jwt";

export type DoorToken = { claims: DoorClaims; keyKind: KeyKind };
/** What a token will say of its holder; the rest is the site's and the clock's. */
export type DoorGrant = Omit<DoorClaims, "iss" | "aud" | "exp" | "jti" | "kind">;

export type DoorTokens = ReturnType<typeof createDoorTokens>;

export type DoorTokenOptions = Omit<SignedTokenRules, "expected"> & {
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
    /** For any of the sites: which one, the caller compares. Throws the refusal of a bad token. */
    read: verified.read,
    async mint(grant: DoorGrant, site: string): Promise<{ token: string; expiresAtSeconds: number }> {
      const exp = grant.iat + ttlSeconds;
      // Parsed on the way out too, so that nothing is signed that would be refused on its way in.
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
