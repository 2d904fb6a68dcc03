import { readCookie } from "~/platform/http/header-text";
import { Refusal } from "~/platform/refusals/refusal";
import { tokenLifeSeconds } from "../tokens/access-token.schema";
import type { AccessClaims } from "../tokens/access-token.schema";
import { parseBearerHeader } from "../tokens/access-token.server";
import type { MintedAccessToken, ReissueAccessTokenOptions } from "../tokens/access-token.server";
import { admit } from "../admission/admit.server";
import type { AdmitDependencies, Admission } from "../admission/admit.server";
import { accessTokenRefused, authenticationFailed } from "../tokens/authentication-failed";
import type { Caller, CallerDependencies } from "../tokens/caller.server";
import { holderOf, requireHolder, requireHolderOfToken } from "../tokens/holder.server";
import type { HolderDependencies } from "../tokens/holder.server";
import { bearerProof, verifyGateToken } from "../proofs/bearer.server";
import { requireOwnHost } from "../proofs/proof.server";
import type { SessionOrder, SignedIn, SignedOut } from "./session.schema";
import type { RevokedProofStore } from "../tokens/revoked-proofs.store.server";
import { sessionCookieName } from "../tokens/token-locations";

export type SessionDependencies = HolderDependencies & {
  domains: readonly string[];
  origin: string;
  accessTtlSeconds: number;
  /** Seconds from the signature during which it may be renewed without another. */
  sessionMaxSeconds: number;
  verifyToken: CallerDependencies["verifyToken"];
  reissueToken: (dates: Omit<ReissueAccessTokenOptions, "keys">) => Promise<MintedAccessToken>;
};

/** What was asked of the session, with what may prove by whom. */
export type SessionRequest = {
  ask?: SessionOrder;
  authorization?: string;
  cookie: string | undefined;
  host: string | null;
};
/** Whose token is to begin the session, or is it already. */
export type SessionCaller = Caller & { token: string };
export type KeptSession = { token: string; session: SignedIn };

/** From a Cookie header; the token is not verified yet. */
export function findSessionToken(cookie: string | undefined): string | null {
  return readCookie(cookie, sessionCookieName) || null;
}

/** A session begins with a token from a sign-in; whatever else is asked of it goes by the one in the cookie. */
export async function identifySession(
  { ask, authorization, cookie, host }: SessionRequest,
  dependencies: Pick<SessionDependencies, "domains" | "verifyToken">,
): Promise<SessionCaller> {
  const isOfCookie = ask?.open || ask?.renew || ask?.door !== undefined;
  const token = isOfCookie ? requireSessionToken(cookie) : requireHeaderToken(authorization);
  // As for a Bearer token at the gate.
  if (ask?.open || ask?.door !== undefined) requireOwnHost(host, dependencies.domains, accessTokenRefused);
  return { token, ...(await verifyGateToken(token, dependencies)) };
}

function requireSessionToken(cookie: string | undefined): string {
  const token = findSessionToken(cookie);
  if (token !== null) return token;
  throw authenticationFailed("There is no session in this browser. Sign in first.");
}

function requireHeaderToken(authorization: string | undefined): string {
  if (authorization !== undefined) return parseBearerHeader(authorization);
  throw authenticationFailed("No access token came with the request. Send it in the Authorization header.");
}

/** What the gate opens for a Bearer token, for the one in the cookie. */
export function openSession(caller: Caller, dependencies: AdmitDependencies): Promise<Admission> {
  return admit({ ...holderOf(caller), kind: bearerProof.kind, claims: null }, dependencies);
}

/** It becomes the session if it still opens the gate by the chain's word of this moment. */
export async function startSession(
  { token, claims, keyKind }: SessionCaller,
  dependencies: SessionDependencies,
): Promise<KeptSession> {
  await requireHolderOfToken({ claims, keyKind }, dependencies, { fresh: true });
  return { token, session: describe(claims, dependencies) };
}

/** An ended session is a result and no refusal, as pages ask often; an outage ends no session. */
export async function readSession(
  cookie: string | undefined,
  dependencies: SessionDependencies,
): Promise<SignedIn | SignedOut> {
  const token = findSessionToken(cookie);
  if (token === null) return { signedIn: false };
  try {
    const verified = await verifyGateToken(token, dependencies);
    // Refused for the gate's own reasons, so that the page shows what is wrong with the key.
    await requireHolder(holderOf(verified), dependencies);
    return describe(verified.claims, dependencies);
  } catch (error) {
    if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) throw error;
    const { slug, title, status, detail } = error;
    const type = `${dependencies.origin}/problems/${slug}`;
    return { signedIn: false, ended: { type, title, status, detail: detail ?? title } };
  }
}

type SignOutDependencies = Pick<
  SessionDependencies,
  "verifyToken" | "clock" | "sessionMaxSeconds" | "accessTtlSeconds"
> & {
  /** Null where nothing outlives the session's cookie. */
  revokeProof: RevokedProofStore["revokeProof"] | null;
};

/** Ends whatever goes back to the session's proof: the sites that were entered with it too. Who has signed out, if anybody. */
export async function signOut(
  cookie: string | undefined,
  dependencies: SignOutDependencies,
): Promise<AccessClaims | null> {
  const { revokeProof, clock, sessionMaxSeconds, accessTtlSeconds } = dependencies;
  const token = findSessionToken(cookie);
  if (token === null) return null;
  try {
    const { claims } = await verifyGateToken(token, dependencies);
    if (revokeProof === null) return claims;
    // The last token of the session ends by then, and so does a site's token that was made with it.
    const lastsSeconds = sessionMaxSeconds + 2 * accessTtlSeconds;
    await revokeProof({
      proofHash: claims.siwe_hash,
      wallet: claims.sub,
      expiresAtMs: clock() + lastsSeconds * 1000,
    });
    return claims;
  } catch (error) {
    // A token that is good for nothing needs no end.
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    return null;
  }
}

/** A stolen token cannot be renewed beyond `sessionMaxSeconds` after the signature, or its signed expiry. */
export async function renewSession(
  { token, claims, keyKind }: SessionCaller,
  dependencies: SessionDependencies,
): Promise<KeptSession> {
  // Dated before the chain read: a later departure also ends the new token.
  const issuedAtSeconds = Math.floor(dependencies.clock() / 1000);
  const endsAtSeconds = renewableUntilSeconds(claims, dependencies);
  if (endsAtSeconds - issuedAtSeconds < tokenLifeSeconds.min) {
    throw accessTokenRefused("This session has lasted as long as one signature allows. Sign in again.");
  }
  await requireHolderOfToken({ claims, keyKind }, dependencies, { fresh: true });
  const renewed = await prolongSession(claims, issuedAtSeconds, dependencies);
  return renewed ?? { token, session: describe(claims, dependencies) };
}

/**
 * The key was found held since `issuedAtSeconds`. Null if the token is as good: it was made past a departure within
 * this very second, or lasts as long as it may.
 */
export async function prolongSession(
  claims: AccessClaims,
  issuedAtSeconds: number,
  dependencies: SessionDependencies,
): Promise<KeptSession | null> {
  const endsAtSeconds = renewableUntilSeconds(claims, dependencies);
  if (endsAtSeconds - issuedAtSeconds < tokenLifeSeconds.min) return null;
  const expiresAtSeconds = Math.min(issuedAtSeconds + dependencies.accessTtlSeconds, endsAtSeconds);
  if (claims.iat > issuedAtSeconds || claims.exp > expiresAtSeconds) return null;
  const renewed = await dependencies.reissueToken({ claims, issuedAtSeconds, expiresAtSeconds });
  return { token: renewed.token, session: describe(renewed.claims, dependencies) };
}

function renewableUntilSeconds({ siwe }: AccessClaims, { sessionMaxSeconds }: SessionDependencies): number {
  const { issuedAt, expirationTime } = siwe;
  const signedEnd = expirationTime === undefined ? Infinity : toSeconds(expirationTime);
  return Math.min(toSeconds(issuedAt) + sessionMaxSeconds, signedEnd);
}

/** RFC 3339 lets the letters be small, which `Date.parse` does not. What is no moment allows no renewal. */
function toSeconds(time: string): number {
  const ms = Date.parse(time.toUpperCase());
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

function describe(claims: AccessClaims, dependencies: SessionDependencies): SignedIn {
  const endsAtSeconds = renewableUntilSeconds(claims, dependencies);
  const nowSeconds = dependencies.clock() / 1000;
  // In whole seconds, as renewals are.
  const leftToRenewSeconds = endsAtSeconds - Math.floor(nowSeconds);
  return {
    signedIn: true,
    tokenId: claims.tokenId,
    address: claims.sub,
    ...(claims.key !== undefined && { key: claims.key }),
    ...(claims.vault !== undefined && { vault: claims.vault }),
    expiresAt: new Date(claims.exp * 1000).toISOString(),
    secondsLeft: Math.max(0, Math.floor(claims.exp - nowSeconds)),
    renewableUntil: new Date(endsAtSeconds * 1000).toISOString(),
    isRenewable: claims.exp < endsAtSeconds && leftToRenewSeconds >= tokenLifeSeconds.min,
  };
}
