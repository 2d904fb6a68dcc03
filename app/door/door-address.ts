import { isLoopbackName, normalizeSite } from "~/platform/config/domains";
import { readCookie } from "~/platform/http/header-text";

/** An address on a site behind the door. `path` includes the query; its host may be any site's. */
export type DoorAddress = { scheme: "http" | "https"; host: string; path: string };

/** A longer path is dropped on the way in. */
export const maxReturnPathChars = 4096;
/** Also refused: an address that, inside another one, grows to more than twice its length plus this. */
const smallGrowthChars = 256;

/** White space and control characters. Two headers of one name are joined by a space. */
// eslint-disable-next-line no-control-regex -- It is control characters that are looked for.
const neverInAddress = /[\u0000-\u0020\u007f-\u009f]/;
/** Returning there would loop, or sign out again. */
const ownPath = /^\/\.latchkey(?:[/?]|$)/i;

/** A whole address, as a proxy or our own redirect writes it. */
export function readDoorAddress(text: string): DoorAddress | null {
  if (neverInAddress.test(text)) return null;
  const match = /^(https?):\/\/([^/?#]+)([/?][^#]*)?$/i.exec(text);
  if (!match) return null;
  const [, scheme = "", authority = "", rest = "/"] = match;
  return makeDoorAddress({ scheme, authority, path: rest.startsWith("/") ? rest : `/${rest}` });
}

/** A WebSocket counts as the scheme it was upgraded from. */
export function makeDoorAddress(given: {
  scheme: string;
  authority: string;
  path: string;
}): DoorAddress | null {
  const scheme = readScheme(given.scheme);
  const host = normalizeSite(given.authority);
  const { path } = given;
  if (scheme === null || host === null || !path.startsWith("/") || neverInAddress.test(path)) return null;
  return { scheme, host, path };
}

function readScheme(text: string): DoorAddress["scheme"] | null {
  switch (text.toLowerCase()) {
    case "https":
    case "wss":
      return "https";
    case "http":
    case "ws":
      return "http";
    default:
      return null;
  }
}

export function writeDoorAddress({ scheme, host, path }: DoorAddress): string {
  return `${scheme}://${host}${path}`;
}

/** Anybody on the path of plain HTTP can read its cookies. On this machine there is no such path. */
export function isPlain({ scheme }: Pick<DoorAddress, "scheme">): boolean {
  return scheme === "http";
}

/** Whether a `host[:port]` in normal form can only be this machine. */
export function isLoopbackSite(host: string): boolean {
  return isLoopbackName(host.replace(/:[0-9]+$/, ""));
}

/**
 * A path for `Location` on its own host, or `/`. A second slash or a backslash at its beginning would name another
 * host, even if it only gets there when dots are resolved.
 */
export function toReturnPath(given: string | null): string {
  if (given === null || given.length > maxReturnPathChars || neverInAddress.test(given)) return "/";
  if (!/^\/(?![/\\])/.test(given) || !URL.canParse(given, "https://site.invalid")) return "/";
  const { host, pathname, search } = new URL(given, "https://site.invalid");
  // Browsers keep a backslash in a query; the gate would take it for a slash.
  const path = `${pathname}${search.replaceAll("\\", "%5C")}`;
  if (host !== "site.invalid" || pathname.startsWith("//") || ownPath.test(path)) return "/";
  return path.length > maxReturnPathChars || growsTooMuch(startPath(path), given) ? "/" : path;
}

export function growsTooMuch(written: string, given: string): boolean {
  return written.length > 2 * given.length + smallGrowthChars;
}

/** The start of the way in, on the site itself. */
export function startPath(path: string): string {
  return `/.latchkey/start?${new URLSearchParams({ to: path }).toString()}`;
}

export const startCookieSeconds = 600;

type Site = Pick<DoorAddress, "scheme" | "host">;
type DoorCookie = "door" | "start";

/**
 * Cookies ignore ports, and without TLS no prefix ties them to a host. So on loopback, where plain HTTP is allowed, the
 * name contains the port.
 */
export function doorCookieName(kind: DoorCookie, site: Site): string {
  if (!isPlain(site)) return `__Host-latchkey-${kind}`;
  return `latchkey-${kind}-${/:([0-9]+)$/.exec(site.host)?.[1] ?? "80"}`;
}

export function readDoorCookie(kind: DoorCookie, site: Site, cookie: string | undefined): string | null {
  return readCookie(cookie, doorCookieName(kind, site)) || null;
}

/** An empty value deletes the cookie. */
export function writeDoorCookie(
  kind: DoorCookie,
  site: Site,
  given: { value: string; maxAgeSeconds: number },
) {
  const age = given.value === "" ? 0 : Math.max(0, Math.floor(given.maxAgeSeconds));
  const secure = isPlain(site) ? "" : "; Secure";
  return `${doorCookieName(kind, site)}=${given.value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}
