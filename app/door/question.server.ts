import type { IncomingHttpHeaders } from "node:http";
import type { Address } from "viem";
import { bearerChallenge } from "~/gate/tokens/authentication-failed";
import { requireHolder } from "~/gate/tokens/holder.server";
import type { HolderDependencies } from "~/gate/tokens/holder.server";
import { Refusal } from "~/platform/refusals/refusal";
import { readAskedFor } from "./asked-for";
import type { AskedFor } from "./asked-for";
import type { DoorSite } from "./door.settings";
import { growsTooMuch, maxReturnPathChars } from "./door-address";
import type { DoorAddress } from "./door-address";
import { readDoorCookie, writeDoorCookie } from "./door-cookies";
import type { DoorToken, DoorTokens } from "./door-token.server";

export type DoorOutcome = "open" | "closed" | "unknown";

export type QuestionDependencies = HolderDependencies & {
  sites: ReadonlyMap<string, DoorSite>;
  tokens: Pick<DoorTokens, "read">;
  cacheSeconds: number;
  countQuestion?: ((question: { site: string; outcome: DoorOutcome }) => void) | undefined;
};

export type DoorQuestion = {
  headers: IncomingHttpHeaders;
  /** Whether the peer is a proxy whose word on the visitor counts. */
  isFromTrustedProxy: boolean;
  /** For a proxy that cannot pass a redirect on: the same as a status and a Location. */
  wantsStatus: boolean;
};

/** Whether a visitor of a site may have what was asked for. Throws the refusals of whatever is no yes and no way in. */
export async function answerQuestion(
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
        "The question came from an address that is no trusted proxy's. Set TRUST_PROXY to the address of the proxy in front of the site.",
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

/** Null for whatever is no good token of this site; throws only what is no answer about the visitor. */
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

/** On the site itself: only there can a cookie be set that no other site reads. */
export function wayInTo({ scheme, host, path }: DoorAddress): string {
  // What may stand in a query as it is stays readable, and the address short.
  const written = encodeURIComponent(path).replaceAll(/%(?:2F|3F|3D|3A|40|2C)/g, decodeURIComponent);
  const to = path.length > maxReturnPathChars || growsTooMuch(written, path) ? "/" : written;
  return `${scheme}://${host}/.latchkey/start?to=${to}`;
}
