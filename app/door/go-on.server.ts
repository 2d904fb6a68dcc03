import { createHash, randomBytes } from "node:crypto";
import type { Address } from "viem";
import type { Caller } from "~/gate/tokens/caller.server";
import { holderOf, requireHolder } from "~/gate/tokens/holder.server";
import type { HolderDependencies } from "~/gate/tokens/holder.server";
import { membershipId } from "~/gate/kinds/kind";
import type { KeyKind } from "~/gate/kinds/kind";
import type { RequirementReport } from "~/gate/kinds/requirement-report";
import type { AccessClaims } from "~/gate/tokens/access-token.schema";
import { contractOf } from "~/gate/tokens/access-token.server";
import type { KeptSession } from "~/gate/session/session.server";
import { Refusal } from "~/platform/refusals/refusal";
import type { LimitVerdict } from "~/platform/limits/rate-limiter.server";
import type { DoorSite } from "./door.settings";
import {
  isLoopbackSite,
  isPlain,
  readDoorAddress,
  readDoorCookie,
  startCookieSeconds,
  startPath,
  toReturnPath,
  writeDoorAddress,
  writeDoorCookie,
} from "./door-address";
import type { DoorAddress } from "./door-address";
import type { DoorCodeStore } from "./door-codes.store.server";
import type { DoorGrant, DoorTokens } from "./door-token.server";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "~/platform/time/clock";
import { normalizeSite } from "~/platform/config/domains";
import { requestHost } from "~/platform/http/client-id.server";
import { isVisit } from "./is-visit.server";
import { plainPageResponse } from "~/platform/http/plain-page.server";

export type WayOn = {
  goTo: string;
  /** The renewed session; null if it already lasts as long as it may. */
  kept: KeptSession | null;
};

/** `codesToKeep`: this one is refused if fewer codes would be left. */
export type WayOnOrder = {
  destination: Destination;
  start: string;
  caller: Caller;
  codesToKeep?: number;
};

type GoOnDependencies = HolderDependencies & {
  sites: ReadonlyMap<string, DoorSite>;
  codes: Pick<DoorCodeStore, "issueCode">;
  /** Limits codes for one session and site: more means that the browser keeps no cookie. */
  consumeCodes: (sessionAndSite: string) => Promise<LimitVerdict>;
  prolongSession: (claims: AccessClaims, issuedAtSeconds: number) => Promise<KeptSession | null>;
};

export type Destination = { address: DoorAddress; site: DoorSite };

const codeSeconds = 60;
const notADoor = "This address is not on a site that this gate opens.";

/** Throws the refusal `invalid-request` for an address on no site of ours. */
export function requireDestination(given: string, sites: GoOnDependencies["sites"]): Destination {
  // A browser reads a backslash as a slash.
  const address = given.includes("\\") ? null : readDoorAddress(given);
  const site = address && sites.get(address.host);
  if (!address || !site || (isPlain(address) && !isLoopbackSite(address.host))) {
    throw new Refusal("invalid-request", {
      detail: notADoor,
      members: { errors: [{ path: "door", message: notADoor }] },
    });
  }
  return { address: { ...address, path: toReturnPath(address.path) }, site };
}

/** The way back into the site, with a code that only the site's own browser can use, once. */
export async function goOn(
  { destination, start, caller, codesToKeep = 0 }: WayOnOrder,
  dependencies: GoOnDependencies,
): Promise<WayOn> {
  const { address, site } = destination;
  const { codes, consumeCodes, prolongSession } = dependencies;
  const { sub, siwe_hash } = caller.claims;
  const grant = await requireOpening(caller, site, dependencies);
  // After the check, so that only codes count, not refusals.
  requireNotInCircles(await consumeCodes(`${sub}:${siwe_hash}:${site.host}`), codesToKeep);
  const code = makeSecret();
  await codes.issueCode({
    digest: digestOf(code),
    site: site.host,
    startHash: start,
    claims: JSON.stringify(grant),
    ttlSeconds: codeSeconds,
  });
  const query = new URLSearchParams({ code, to: address.path });
  return {
    goTo: `${address.scheme}://${address.host}/.latchkey/enter?${query.toString()}`,
    kept: await prolongSession(caller.claims, grant.iat),
  };
}

/** The session is valid and its key opens the site, or its wallet has a membership that does. */
async function requireOpening(
  caller: Caller,
  site: DoorSite,
  dependencies: GoOnDependencies,
): Promise<DoorGrant> {
  const { claims, keyKind } = caller;
  // Dated before the chain is read, so that a later departure ends the token.
  const iat = Math.max(claims.iat, Math.floor(dependencies.clock() / 1000));
  await requireHolder(holderOf(caller), dependencies, { fresh: true });
  const { sub, tokenId, vault, siwe_hash: sid } = claims;
  const { areNamed } = dependencies.kinds;
  if (site.kinds.includes(keyKind)) {
    const { chainId, contract, key } = claims;
    return { sub, iat, tokenId, chainId, contract, key, vault, sid };
  }
  const membership = await requireMembership({ signer: sub as Address, iat }, site, dependencies);
  return {
    sub,
    iat,
    tokenId: membershipId(sub as Address),
    chainId: membership.chainId,
    contract: contractOf(membership),
    key: areNamed ? membership.name : undefined,
    sid,
  };
}

/**
 * The first membership that the wallet meets and has not used up. Throws an outage only if none is met and one might
 * be.
 */
async function requireMembership(
  { signer, iat }: { signer: Address; iat: number },
  site: DoorSite,
  dependencies: GoOnDependencies,
): Promise<KeyKind> {
  const memberships = site.kinds.filter(({ standard }) => standard === "membership");
  const wallet = { address: signer, tokenId: membershipId(signer), vault: null };
  const outcomes = await Promise.all(
    memberships.map(async (keyKind) => {
      const holder = { ...wallet, keyKind, opensRoom: false, issuedAtSeconds: iat, proofHash: null };
      try {
        await requireHolder(holder, dependencies, { fresh: true });
        return keyKind;
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    }),
  );
  const met = outcomes.find((outcome): outcome is KeyKind => !(outcome instanceof Refusal));
  if (met) return met;
  const refusals = outcomes.filter((outcome) => outcome instanceof Refusal);
  throw (
    refusals.find(({ status }) => status === 503) ??
    refusals.find(({ refusalName }) => refusalName === "this-token-has-already-been-used") ??
    refuseOtherKind(site, refusals)
  );
}

/** The kinds that open the site, each with its missing parts as far as they were judged. */
function refuseOtherKind({ host, kinds }: DoorSite, refusals: readonly Refusal[]): Refusal {
  const judged = refusals.flatMap(({ members }) => (members.requirements ?? []) as RequirementReport);
  const others = kinds
    .filter(({ standard }) => standard !== "membership")
    .map(({ title, chainId, get }): RequirementReport => {
      return { label: title, outcome: "unmet", needed: "1", chainId, ...(get && { get }) };
    });
  const titles = kinds.map(({ title }) => `“${title}”`).join(" or ");
  return new Refusal("not-opened-by-this-key", {
    detail:
      kinds.length === 0
        ? `No kind of key opens ${host}.`
        : `The door of ${host} opens with ${titles}, and you are signed in with a key of another kind.`,
    members: { requirements: { outcome: "unmet", any: [...others, ...judged] } },
  });
}

function requireNotInCircles(verdict: LimitVerdict, codesToKeep: number): void {
  const { allowed, limit, remaining, retryAfterSeconds } = verdict;
  if (allowed && remaining >= codesToKeep) return;
  throw new Refusal("site-cookie-not-kept", {
    headers: { "Retry-After": String(retryAfterSeconds) },
    members: { limit, remaining: 0, retryAfter: retryAfterSeconds },
  });
}

type WayInDependencies = {
  /** The gate's. */
  origin: string;
  sites: GoOnDependencies["sites"];
  codes: Pick<DoorCodeStore, "spendCode">;
  tokens: Pick<DoorTokens, "mint">;
  clock: Clock;
};

type SiteRequest = {
  method: string;
  headers: IncomingHttpHeaders;
  searchParams: URLSearchParams;
  isFromTrustedProxy: boolean;
};

/** The addresses below /.latchkey/ on a site. */
export function createWayIn(dependencies: WayInDependencies) {
  return {
    start: (request: SiteRequest) => start(request, dependencies),
    enter: (request: SiteRequest) => enter(request, dependencies),
    leave: (request: SiteRequest) => leave(request, dependencies),
  };
}

const makeSecret = () => randomBytes(16).toString("base64url");
const secretShape = /^[A-Za-z0-9_-]{22}$/;

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Begins on the site, with a cookie that identifies the browser when it comes back from the gate. */
function start(request: SiteRequest, { sites, origin }: WayInDependencies): Response {
  const site = requireSite(request, sites);
  const address = { ...site, path: toReturnPath(request.searchParams.get("to")) };
  const kept = readDoorCookie("start", site, request.headers.cookie);
  // A valid cookie serves all tabs, so that each of them comes back.
  const value = kept !== null && secretShape.test(kept) ? kept : makeSecret();
  const query = new URLSearchParams({ door: writeDoorAddress(address), start: digestOf(value) });
  const cookie = writeDoorCookie("start", site, { value, maxAgeSeconds: startCookieSeconds });
  return redirect(`${origin}/gate?${query.toString()}`, cookie);
}

/** Back from the gate: the code becomes the site's cookie, in the browser it was made for. */
async function enter(request: SiteRequest, dependencies: WayInDependencies): Promise<Response> {
  const { sites, codes, tokens, clock } = dependencies;
  const site = requireSite(request, sites);
  const { searchParams, headers, method } = request;
  const path = toReturnPath(searchParams.get("to"));
  const code = searchParams.get("code");
  const start = readDoorCookie("start", site, headers.cookie);
  // A HEAD must not use the code up.
  const isTried = code !== null && secretShape.test(code) && start !== null && method !== "HEAD";
  const claims = isTried
    ? await codes.spendCode({ digest: digestOf(code), site: site.host, startHash: digestOf(start) })
    : null;
  if (claims !== null) {
    const { token, expiresAtSeconds } = await tokens.mint(JSON.parse(claims) as DoorGrant, site.host);
    const maxAgeSeconds = expiresAtSeconds - clock() / 1000;
    return redirect(path, writeDoorCookie("door", site, { value: token, maxAgeSeconds }));
  }
  const again = { href: startPath(path), label: "Try again" };
  if (start === null) {
    return plainPageResponse({
      status: 400,
      title: "This browser did not begin here",
      text: "The cookie that this site gave the browser before the sign-in is not there. It may be that the sign-in was begun in another browser or more than ten minutes ago, or that cookies are not allowed.",
      way: again,
    });
  }
  // Another window may have signed in meanwhile. If not, this leads to the start as well.
  const isIn = readDoorCookie("door", site, headers.cookie) !== null;
  return plainPageResponse({
    status: method === "HEAD" ? 200 : 400,
    title: "This way in has been used",
    text: "Each way in from the gate is good once, for a minute, and for the browser and the site it was made for. Another window of this site may have been faster.",
    way: isIn ? { href: path, label: "Go on to the site" } : again,
  });
}

/** Deletes the site's cookie if the visitor navigates here. Signing out altogether is the gate's. */
function leave(request: SiteRequest, { sites, origin }: WayInDependencies): Response {
  const site = requireSite(request, sites);
  const query = new URLSearchParams({ left: site.host });
  const cookie = writeDoorCookie("door", site, { value: "", maxAgeSeconds: 0 });
  return redirect(`${origin}/gate?${query.toString()}`, isVisit(request) ? cookie : null);
}

function redirect(Location: string, cookie: string | null): Response {
  const headers = { Location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };
  return new Response(null, {
    status: 302,
    headers: cookie === null ? headers : { ...headers, "Set-Cookie": cookie },
  });
}

/** These addresses exist on sites only. */
function requireSite(
  { headers, isFromTrustedProxy }: SiteRequest,
  sites: WayInDependencies["sites"],
): Omit<DoorAddress, "path"> {
  const forwardedHost = isFromTrustedProxy ? headers["x-forwarded-host"]?.toString() : undefined;
  const named = requestHost(headers.host, forwardedHost);
  const host = named === null ? null : normalizeSite(named);
  if (host === null || !sites.has(host)) throw new Refusal("not-found");
  if (!isLoopbackSite(host)) return { scheme: "https", host };
  const forwardedScheme = isFromTrustedProxy ? headers["x-forwarded-proto"]?.toString() : undefined;
  return { scheme: forwardedScheme?.toLowerCase() === "https" ? "https" : "http", host };
}
