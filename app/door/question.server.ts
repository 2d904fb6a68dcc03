import type { IncomingHttpHeaders } from "node:http";
import type { Address } from "viem";
import { bearerChallenge } from "~/gate/tokens/authentication-failed";
import { requireHolder } from "~/gate/tokens/holder.server";
import type { HolderDependencies } from "~/gate/tokens/holder.server";
import { Refusal } from "~/platform/refusals/refusal";
import type { DoorSite } from "./door.settings";
import {
  growsTooMuch,
  isLoopbackSite,
  isPlain,
  makeDoorAddress,
  maxReturnPathChars,
  readDoorAddress,
  readDoorCookie,
  writeDoorAddress,
  writeDoorCookie,
} from "./door-address";
import type { DoorAddress } from "./door-address";
import type { DoorToken, DoorTokens } from "./door-token.server";

type DoorOutcome = "open" | "closed" | "unknown";

export type QuestionDependencies = HolderDependencies & {
  sites: ReadonlyMap<string, DoorSite>;
  tokens: Pick<DoorTokens, "read">;
  cacheSeconds: number;
  countQuestion?: ((question: { site: string; outcome: DoorOutcome }) => void) | undefined;
};

export type DoorQuestion = {
  headers: IncomingHttpHeaders;
  isFromTrustedProxy: boolean;
  /** For a proxy that can't pass a redirect on: 401 with a Location. */
  wantsStatus: boolean;
};

/** Whether a visitor of a site may have the requested address. Throws refusals of misconfigured proxies. */
export async function judgeQuestion(
  { headers, isFromTrustedProxy, wantsStatus }: DoorQuestion,
  dependencies: QuestionDependencies,
): Promise<Response> {
  const { asked, site } = requireAsked(headers, isFromTrustedProxy, dependencies.sites);
  const cookie = readDoorCookie("door", asked.address, headers.cookie);
  const outcome = (outcome: DoorOutcome) => dependencies.countQuestion?.({ site: site.host, outcome });
  try {
    const token = cookie === null ? null : await findToken(cookie, site, dependencies);
    outcome(token ? "open" : "closed");
    if (token) return letIn(token, dependencies);
  } catch (error) {
    outcome("unknown");
    throw error;
  }
  return leadToWayIn(asked, { takesBack: cookie !== null, wantsStatus });
}

function requireAsked(
  headers: IncomingHttpHeaders,
  isFromTrustedProxy: boolean,
  sites: QuestionDependencies["sites"],
): { asked: AskedFor; site: DoorSite } {
  if (!isFromTrustedProxy) {
    throw new Refusal("door-not-configured", {
      detail:
        "The question did not come from a trusted proxy. Set TRUST_PROXY to the address of the proxy in front of the site.",
    });
  }
  const reading = readAskedFor(headers);
  if ("fault" in reading) throw new Refusal("door-not-configured", { detail: reading.fault });
  const { asked } = reading;
  const site = sites.get(asked.address.host);
  if (site) return { asked, site };
  throw new Refusal("door-not-configured", {
    detail: `The site ${asked.address.host} is not named in DOOR_HOSTS.`,
  });
}

/** Null for an invalid token of this site. Throws only outages and defects. */
async function findToken(
  cookie: string,
  site: DoorSite,
  dependencies: QuestionDependencies,
): Promise<DoorToken | null> {
  try {
    const token = await dependencies.tokens.read(cookie);
    const { claims, keyKind } = token;
    if (claims.aud !== site.host || !site.kinds.includes(keyKind)) return null;
    await requireHolder(holderOf(token), dependencies);
    return token;
  } catch (error) {
    if (error instanceof Refusal && (error.status === 401 || error.status === 403)) return null;
    throw error;
  }
}

function holderOf({ claims, keyKind }: DoorToken) {
  return {
    address: claims.sub as Address,
    keyKind,
    opensRoom: false,
    tokenId: claims.tokenId,
    vault: (claims.vault as Address | undefined) ?? null,
    issuedAtSeconds: claims.iat,
    proofHash: claims.sid,
  };
}

function letIn({ claims, keyKind }: DoorToken, { cacheSeconds, clock }: QuestionDependencies): Response {
  const secondsLeft = Math.floor(claims.exp - clock() / 1000);
  const maxAgeSeconds = Math.max(0, Math.min(cacheSeconds, secondsLeft));
  const headers: Record<string, string> = {
    "remote-user": claims.sub,
    "remote-groups": keyKind.name,
    "x-latchkey-key": `${keyKind.name}:${claims.tokenId}`,
    "cache-control": `private, max-age=${maxAgeSeconds}`,
    vary: "Cookie",
  };
  if (claims.vault !== undefined) headers["x-latchkey-vault"] = claims.vault;
  return new Response(null, { headers });
}

function leadToWayIn(
  { address, isPage }: AskedFor,
  { takesBack, wantsStatus }: { takesBack: boolean; wantsStatus: boolean },
): Response {
  const headers: Record<string, string> = {
    "Cache-Control": "no-store",
    ...(takesBack && { "Set-Cookie": writeDoorCookie("door", address, { value: "", maxAgeSeconds: 0 }) }),
  };
  if (isPage) headers.Location = wayInTo(address);
  if (isPage && !wantsStatus) return new Response(null, { status: 302, headers });
  headers["WWW-Authenticate"] = bearerChallenge;
  throw new Refusal("door-closed", { headers });
}

/** On the site itself, because only there can it set a cookie that no other site reads. */
export function wayInTo({ scheme, host, path }: DoorAddress): string {
  // Keeps the address short and readable.
  const written = encodeURIComponent(path).replaceAll(/%(?:2F|3F|3D|3A|40|2C)/g, decodeURIComponent);
  const to = path.length > maxReturnPathChars || growsTooMuch(written, path) ? "/" : written;
  return `${scheme}://${host}/.latchkey/start?to=${to}`;
}

/** A visitor's request to a site, as the site's proxy describes it. */
type AskedFor = {
  address: DoorAddress;
  /** Whether a browser loads a page, which can be redirected. */
  isPage: boolean;
};
type AskedForReading = { asked: AskedFor } | { fault: string };

/** Names in lower case. Repeated headers are joined by commas and spaces. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Forwarded = { address: DoorAddress; method: string };

const forwardedNames = [
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-uri",
  "x-forwarded-method",
] as const;
const originalNames = ["x-original-url", "x-original-method"] as const;
const method = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;

/**
 * Traefik and Caddy send the first family of headers, nginx the second. The proxy must remove the visitor's own, so a
 * missing, doubled or contradictory header means a misconfigured proxy.
 */
export function readAskedFor(headers: Headers): AskedForReading {
  const forwarded = readForwarded(headers);
  const original = readOriginal(headers);
  if (typeof forwarded === "string") return { fault: forwarded };
  if (typeof original === "string") return { fault: original };
  const read = forwarded ?? original;
  if (read === null) {
    return {
      fault:
        "The request does not say what a visitor asked for. The proxy must send X-Forwarded-Proto, -Host, -Uri and -Method, or X-Original-URL and X-Original-Method.",
    };
  }
  if (forwarded && original && !isSame(forwarded, original)) {
    return {
      fault: "X-Forwarded-… and X-Original-… name different addresses or methods. Send one of the two.",
    };
  }
  const { address } = read;
  if (isPlain(address) && !isLoopbackSite(address.host)) {
    return { fault: "The visitor came by plain HTTP. Sites behind the door are served over HTTPS." };
  }
  return { asked: { address, isPage: isPage(read.method, headers) } };
}

/** Null without any of the family; a text describes the fault. */
function readForwarded(headers: Headers): Forwarded | string | null {
  const values = readFamily(headers, forwardedNames);
  if (!Array.isArray(values)) return values;
  const [scheme = "", authority = "", path = "", asked = ""] = values;
  const address = makeDoorAddress({ scheme, authority, path });
  if (address && method.test(asked)) return { address, method: asked };
  return "The X-Forwarded-… headers do not name one scheme, one host, a path that begins with a slash, and one method.";
}

function readOriginal(headers: Headers): Forwarded | string | null {
  const values = readFamily(headers, originalNames);
  if (!Array.isArray(values)) return values;
  const [url = "", asked = ""] = values;
  const address = readDoorAddress(url);
  if (address && method.test(asked)) return { address, method: asked };
  return "X-Original-URL must be one whole address, scheme and host included, and X-Original-Method one method.";
}

function readFamily(headers: Headers, names: readonly string[]): string[] | string | null {
  const present = names.filter((name) => headers[name] !== undefined);
  if (present.length === 0) return null;
  const missing = names.filter((name) => !present.includes(name));
  if (missing.length > 0)
    return `Where ${present.join(", ")} is sent, ${missing.join(", ")} must be sent too.`;
  return names.map((name) => escapeBytes(String(headers[name])));
}

/** A header's text has a character for each byte. Escapes bytes beyond ASCII like addresses. */
function escapeBytes(text: string): string {
  return text.replaceAll(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function isSame(one: Forwarded, other: Forwarded): boolean {
  return one.method === other.method && writeDoorAddress(one.address) === writeDoorAddress(other.address);
}

function isPage(asked: string, { accept, "sec-fetch-mode": mode }: Headers): boolean {
  if (!["GET", "HEAD"].includes(asked)) return false;
  return mode === "navigate" || /\btext\/html\b/i.test(String(accept));
}
