import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "~/platform/time/clock";
import { normalizeSite } from "~/platform/config/domains";
import { requestHost } from "~/platform/http/client-id.server";
import { Refusal } from "~/platform/refusals/refusal";
import { isVisit } from "./is-visit.server";
import { answerPlainPage } from "~/platform/http/plain-page.server";
import type { DoorSite } from "./door.settings";
import { isLoopbackSite, startPath, toReturnPath, writeDoorAddress } from "./door-address";
import type { DoorAddress } from "./door-address";
import type { DoorCodeStore } from "./door-codes.store.server";
import { readDoorCookie, startCookieSeconds, writeDoorCookie } from "./door-cookies";
import type { DoorGrant, DoorTokens } from "./door-token.server";

export type WayInDependencies = {
  /** Of the gate. */
  origin: string;
  sites: ReadonlyMap<string, DoorSite>;
  codes: Pick<DoorCodeStore, "spendCode">;
  tokens: Pick<DoorTokens, "mint">;
  clock: Clock;
};

/** What came to an address under /.latchkey/ on a site. */
export type SiteRequest = {
  method: string;
  headers: IncomingHttpHeaders;
  searchParams: URLSearchParams;
  isFromTrustedProxy: boolean;
};

const startBytes = 16;
/** Of starts and of codes. */
const secretShape = /^[A-Za-z0-9_-]{22}$/;

export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** The way in begins on the site, with a cookie by which it knows the browser again that comes back from the gate. */
export function startWayIn(request: SiteRequest, { sites, origin }: WayInDependencies): Response {
  const site = requireSite(request, sites);
  const address = { ...site, path: toReturnPath(request.searchParams.get("to")) };
  const kept = readDoorCookie("start", site, request.headers.cookie);
  // One that is still good serves all tabs; with it, each of them comes back.
  const value =
    kept !== null && secretShape.test(kept) ? kept : randomBytes(startBytes).toString("base64url");
  const query = new URLSearchParams({ door: writeDoorAddress(address), start: digestOf(value) });
  const cookie = writeDoorCookie("start", site, { value, maxAgeSeconds: startCookieSeconds });
  return redirect(`${origin}/gate?${query.toString()}`, cookie);
}

/** Back from the gate: the code becomes the site's cookie, in the browser that it was made for. */
export async function enterSite(request: SiteRequest, dependencies: WayInDependencies): Promise<Response> {
  const { sites, codes, tokens, clock } = dependencies;
  const site = requireSite(request, sites);
  const { searchParams, headers, method } = request;
  const path = toReturnPath(searchParams.get("to"));
  const code = searchParams.get("code");
  const start = readDoorCookie("start", site, headers.cookie);
  // Asking for the headers alone must not use the code up.
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
    return answerPlainPage({
      status: 400,
      title: "This browser did not begin here",
      text: "The cookie that this site gave the browser before the sign-in is not there. It may be that the sign-in was begun in another browser or more than ten minutes ago, or that cookies are not allowed.",
      way: again,
    });
  }
  // Another window may have been let in meanwhile. If not, this leads to the start as well.
  const isIn = readDoorCookie("door", site, headers.cookie) !== null;
  return answerPlainPage({
    status: method === "HEAD" ? 200 : 400,
    title: "This way in has been used",
    text: "Each way in from the gate is good once, for a minute, and for the browser and the site it was made for. Another window of this site may have been faster.",
    way: isIn ? { href: path, label: "Go on to the site" } : again,
  });
}

/** Takes the site's cookie back, in somebody's own visit; signing out altogether is the gate's. */
export function leaveSite(request: SiteRequest, { sites, origin }: WayInDependencies): Response {
  const site = requireSite(request, sites);
  const query = new URLSearchParams({ left: site.host });
  const cookie = writeDoorCookie("door", site, { value: "", maxAgeSeconds: 0 });
  return redirect(`${origin}/gate?${query.toString()}`, isVisit(request) ? cookie : null);
}

function redirect(location: string, cookie: string | null): Response {
  const headers: Record<string, string> = {
    Location: location,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    ...(cookie !== null && { "Set-Cookie": cookie }),
  };
  return new Response(null, { status: 302, headers });
}

/** Which site these addresses were asked on; elsewhere they do not exist. */
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
