import { readCookie } from "~/platform/http/header-text";
import { Refusal } from "~/platform/refusals/refusal";
import type { Admission } from "../admission/admit.server";
import { verifyGateToken } from "../proofs/bearer.server";
import { requireOwnHost } from "../proofs/proof.server";
import { tokenLifeSeconds } from "../tokens/access-token.schema";
import type { AccessClaims } from "../tokens/access-token.schema";
import { parseBearerHeader } from "../tokens/access-token.server";
import type { ReissueAccessTokenOptions } from "../tokens/access-token.server";
import { accessTokenRefused, authenticationFailed } from "../tokens/authentication-failed";
import type { Caller, CallerDependencies } from "../tokens/caller.server";
import { holderOf, requireHolder, requireHolderOfToken } from "../tokens/holder.server";
import type { HolderDependencies } from "../tokens/holder.server";
import type { RevokedProofStore } from "../ownership/keys.store.server";
import { sessionCookieName, writeSessionCookie } from "../tokens/token-locations";
import type { SessionOrder, SignedIn, SignedOut } from "./session.schema";
import { readVisit } from "./visit.server";

type SessionDependencies = HolderDependencies & {
  domains: readonly string[];
  origin: string;
  accessTtlSeconds: number;
  /** Seconds from the signature during which the session can be renewed. */
  sessionMaxSeconds: number;
  verifyToken: CallerDependencies["verifyToken"];
  reissueToken: (
    dates: Omit<ReissueAccessTokenOptions, "keys">,
  ) => Promise<{ token: string; claims: AccessClaims }>;
  /** Every check of the gate, then what it opens. */
  open: (caller: Caller) => Promise<Admission>;
  /** Null if nothing outlives the session's cookie. */
  revokeProof: RevokedProofStore["revokeProof"] | null;
};

type SessionRequest = {
  ask?: SessionOrder;
  authorization?: string;
  cookie: string | undefined;
  host: string | null;
};
/** The token begins the session, or already is the session. */
export type SessionCaller = Caller & { token: string };
export type KeptSession = { token: string; session: SignedIn };
type Visitor = Pick<SessionRequest, "cookie" | "host">;

export type SessionServices = ReturnType<typeof createSession>;

/** The session of the gate's own page, in a cookie. */
export function createSession(dependencies: SessionDependencies) {
  const { origin, clock, accessTtlSeconds, sessionMaxSeconds, revokeProof, open } = dependencies;

  /** A session begins with the token of a sign-in. Everything else uses the token in the cookie. */
  async function identify({ ask, authorization, cookie, host }: SessionRequest): Promise<SessionCaller> {
    const usesRoom = ask?.open || ask?.door !== undefined;
    const token = usesRoom || ask?.renew ? requireSessionToken(cookie) : requireHeaderToken(authorization);
    if (usesRoom) requireOwnHost(host, dependencies.domains, accessTokenRefused);
    return { token, ...(await verifyGateToken(token, dependencies)) };
  }

  async function start({ token, claims, keyKind }: SessionCaller): Promise<KeptSession> {
    await requireHolderOfToken({ claims, keyKind }, dependencies, { fresh: true });
    return { token, session: describe(claims, dependencies) };
  }

  /** An ended session is a result, not a refusal, because pages ask often. An outage ends no session. */
  async function read(cookie: string | undefined): Promise<SignedIn | SignedOut> {
    const token = findSessionToken(cookie);
    if (token === null) return { signedIn: false };
    try {
      const verified = await verifyGateToken(token, dependencies);
      await requireHolder(holderOf(verified), dependencies);
      return describe(verified.claims, dependencies);
    } catch (error) {
      if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) throw error;
      const { slug, title, status, detail } = error;
      const type = `${origin}/problems/${slug}`;
      return { signedIn: false, ended: { type, title, status, detail } };
    }
  }

  /** A stolen token can't be renewed beyond `sessionMaxSeconds` after the signature, or its signed expiry. */
  async function renew({ token, claims, keyKind }: SessionCaller): Promise<KeptSession> {
    // Before the chain is read, so that a later departure also ends the new token.
    const issuedAtSeconds = Math.floor(clock() / 1000);
    if (renewableUntilSeconds(claims, dependencies) - issuedAtSeconds < tokenLifeSeconds.min) {
      throw accessTokenRefused("This session has lasted as long as one signature allows. Sign in again.");
    }
    await requireHolderOfToken({ claims, keyKind }, dependencies, { fresh: true });
    const renewed = await prolong(claims, issuedAtSeconds);
    return renewed ?? { token, session: describe(claims, dependencies) };
  }

  /** The key has been held since `issuedAtSeconds`. Null if a new token would not last longer. */
  async function prolong(claims: AccessClaims, issuedAtSeconds: number): Promise<KeptSession | null> {
    const endsAtSeconds = renewableUntilSeconds(claims, dependencies);
    if (endsAtSeconds - issuedAtSeconds < tokenLifeSeconds.min) return null;
    const expiresAtSeconds = Math.min(issuedAtSeconds + accessTtlSeconds, endsAtSeconds);
    // After a departure in this very second, a token is dated ahead.
    if (claims.iat > issuedAtSeconds || claims.exp > expiresAtSeconds) return null;
    const renewed = await dependencies.reissueToken({ claims, issuedAtSeconds, expiresAtSeconds });
    return { token: renewed.token, session: describe(renewed.claims, dependencies) };
  }

  /** Also ends the sites entered with the session. Returns the claims of the token, if it was valid. */
  async function endProof(cookie: string | undefined): Promise<AccessClaims | null> {
    const token = findSessionToken(cookie);
    if (token === null) return null;
    try {
      const { claims } = await verifyGateToken(token, dependencies);
      // By then the session's last token has expired, and so has a site's token made with it.
      const lastsSeconds = sessionMaxSeconds + 2 * accessTtlSeconds;
      const expiresAtMs = clock() + lastsSeconds * 1000;
      await revokeProof?.({ proofHash: claims.siwe_hash, wallet: claims.sub, expiresAtMs });
      return claims;
    } catch (error) {
      // An invalid token needs no end.
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      return null;
    }
  }

  return {
    identify,
    open,
    start,
    renew,
    prolong,
    read: ({ cookie }: Pick<Visitor, "cookie">) => read(cookie),
    /** The cookie expires with its token, by the server's clock. */
    keepCookie: ({ token, session }: KeptSession) => ({
      "Set-Cookie": writeSessionCookie(token, session.secondsLeft, origin),
    }),
    signOut: async ({ cookie }: Pick<Visitor, "cookie">) => ({
      claims: await endProof(cookie),
      headers: { "Set-Cookie": writeSessionCookie("", 0, origin) },
    }),
    /** Everything at once, for the page that the server renders. */
    visit: ({ cookie, host }: Visitor) =>
      readVisit(findSessionToken(cookie), {
        origin,
        readSession: () => read(cookie),
        open: async () => open(await identify({ ask: { open: true }, cookie, host })),
      }),
  };
}

/** From a Cookie header. The token is not verified. */
export function findSessionToken(cookie: string | undefined): string | null {
  return readCookie(cookie, sessionCookieName) || null;
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

/** RFC 3339 allows lower-case letters, which `Date.parse` rejects. An invalid time allows no renewal. */
function toSeconds(time: string): number {
  const ms = Date.parse(time.toUpperCase());
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

type SessionTimes = Pick<SessionDependencies, "clock" | "sessionMaxSeconds">;

function renewableUntilSeconds({ siwe }: AccessClaims, { sessionMaxSeconds }: SessionTimes): number {
  const { issuedAt, expirationTime } = siwe;
  const signedEnd = expirationTime === undefined ? Infinity : toSeconds(expirationTime);
  return Math.min(toSeconds(issuedAt) + sessionMaxSeconds, signedEnd);
}

function describe(claims: AccessClaims, times: SessionTimes): SignedIn {
  const endsAtSeconds = renewableUntilSeconds(claims, times);
  const nowSeconds = times.clock() / 1000;
  // Whole seconds, as renewals use.
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
