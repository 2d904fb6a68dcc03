import type { Address } from "viem";
import { Refusal } from "~/platform/http/refusal";
import type { AccessClaims } from "./access-token.schema";
import { parseBearerHeader } from "./access-token.server";
import type { MintedAccessToken } from "./access-token.server";
import { accessTokenRefused, authenticationFailed } from "./authentication-failed";
import { requireHolder } from "./holder.server";
import type { HolderDependencies } from "./holder.server";
import { sessionCookieName } from "./session-cookie";
import type { SignedIn, SignedOut } from "./session.schema";
import { readCookie } from "./token-locations";

export type SessionDependencies = HolderDependencies & {
  origin: string;
  accessTtlSeconds: number;
  /** Seconds from the signature during which it may be renewed without another. */
  sessionMaxSeconds: number;
  verifyToken: (token: string) => Promise<AccessClaims>;
  reissueToken: (dates: {
    claims: AccessClaims;
    issuedAtSeconds: number;
    expiresAtSeconds: number;
  }) => MintedAccessToken;
};

/** What goes into the cookie, and what the page is told of it. */
export type KeptSession = { token: string; session: SignedIn };

/** Of a cookie header; the token in it is judged by nobody yet. */
export function findSessionToken({ cookie }: { cookie: string | undefined }): string | null {
  return readCookie({ cookie, name: sessionCookieName }) || null;
}

export function requireSessionToken({ cookie }: { cookie: string | undefined }): string {
  const token = findSessionToken({ cookie });
  if (token !== null) return token;
  throw authenticationFailed({ detail: "There is no session in this browser. Sign in first." });
}

/** A token from a sign-in becomes the session, if it still opens the gate by the chain's word of this moment. */
export async function startSession({
  authorization,
  dependencies,
}: {
  authorization: string | undefined;
  dependencies: SessionDependencies;
}): Promise<KeptSession> {
  const bearer = parseBearerHeader(authorization);
  if (!bearer) {
    throw authenticationFailed({
      detail: "No access token came with the request. Send it in the Authorization header.",
    });
  }
  const claims = await dependencies.verifyToken(bearer.token);
  await requireHolderOf({ claims, fresh: true, dependencies });
  return { token: bearer.token, session: describe({ claims, dependencies }) };
}

/**
 * Who the cookie says is here, asked of the chain too. What ended the session is an answer and no refusal: pages ask
 * every few seconds. A chain or database that cannot be asked is a refusal still, and ends nothing.
 */
export async function readSession({
  cookie,
  dependencies,
}: {
  cookie: string | undefined;
  dependencies: SessionDependencies;
}): Promise<SignedIn | SignedOut> {
  const token = findSessionToken({ cookie });
  if (token === null) return { signedIn: false };
  try {
    const claims = await dependencies.verifyToken(token);
    await requireHolderOf({ claims, fresh: false, dependencies });
    return describe({ claims, dependencies });
  } catch (error) {
    if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) throw error;
    const { slug, title, status, detail } = error;
    const type = `${dependencies.origin}/problems/${slug}`;
    return { signedIn: false, ended: { type, title, status, detail: detail ?? title } };
  }
}

/**
 * A younger token on the strength of the old one and a fresh reading of the chain. It rests on the same signature as
 * the first: whoever steals a token cannot go on beyond `sessionMaxSeconds` from that.
 */
export async function renewSession({
  cookie,
  dependencies,
}: {
  cookie: string | undefined;
  dependencies: SessionDependencies;
}): Promise<KeptSession> {
  const token = requireSessionToken({ cookie });
  const claims = await dependencies.verifyToken(token);
  // Dated before the chain is asked: a departure that is noticed from now on ends the new token as well.
  const issuedAtSeconds = Math.floor(dependencies.clock() / 1000);
  const endsAtSeconds = renewableUntilSeconds({ claims, dependencies });
  if (issuedAtSeconds >= endsAtSeconds) {
    throw accessTokenRefused({
      detail: "This session has lasted as long as one signature allows. Sign in again.",
    });
  }
  await requireHolderOf({ claims, fresh: true, dependencies });
  const expiresAtSeconds = Math.min(issuedAtSeconds + dependencies.accessTtlSeconds, endsAtSeconds);
  // What it has is as good: such a token was made past a departure within this very second, or lasts to the end.
  if (claims.iat > issuedAtSeconds || claims.exp > expiresAtSeconds) {
    return { token, session: describe({ claims, dependencies }) };
  }
  const renewed = dependencies.reissueToken({ claims, issuedAtSeconds, expiresAtSeconds });
  return { token: renewed.token, session: describe({ claims: renewed.claims, dependencies }) };
}

async function requireHolderOf({
  claims,
  fresh,
  dependencies,
}: {
  claims: AccessClaims;
  fresh: boolean;
  dependencies: SessionDependencies;
}): Promise<void> {
  const { sub, tokenId, iat } = claims;
  await requireHolder({
    holder: { address: sub as Address, tokenId, issuedAtSeconds: iat },
    fresh,
    dependencies,
  });
}

function renewableUntilSeconds({
  claims,
  dependencies: { sessionMaxSeconds },
}: {
  claims: AccessClaims;
  dependencies: SessionDependencies;
}): number {
  // RFC 3339 lets the letters be small, which `Date.parse` does not. What is no moment allows no renewal.
  const signedAtMs = Date.parse(claims.siwe.issuedAt.toUpperCase());
  return Number.isNaN(signedAtMs) ? 0 : Math.floor(signedAtMs / 1000) + sessionMaxSeconds;
}

function describe({
  claims,
  dependencies,
}: {
  claims: AccessClaims;
  dependencies: SessionDependencies;
}): SignedIn {
  const endsAtSeconds = renewableUntilSeconds({ claims, dependencies });
  const nowSeconds = dependencies.clock() / 1000;
  return {
    signedIn: true,
    tokenId: claims.tokenId,
    address: claims.sub,
    expiresAt: new Date(claims.exp * 1000).toISOString(),
    secondsLeft: Math.max(0, Math.floor(claims.exp - nowSeconds)),
    renewableUntil: new Date(endsAtSeconds * 1000).toISOString(),
    isRenewable: claims.exp < endsAtSeconds && nowSeconds < endsAtSeconds,
  };
}
