import { isLoopbackName, normalizeSite } from "~/platform/config/domains";

/** An address on a site behind the door. `path` includes the query; its host may be any site's. */
export type DoorAddress = { scheme: "http" | "https"; host: string; path: string };

/** Above this a path is not brought along on the way in. */
export const maxReturnPathChars = 4096;
/** Nor is one that grows to more than twice its length and this when it is written into another address. */
const smallGrowthChars = 256;

/** White space and control characters: no address has any, and two headers of one name are joined by a space. */
// eslint-disable-next-line no-control-regex -- It is control characters that are looked for.
const neverInAddress = /[\u0000-\u0020\u007f-\u009f]/;
/** Where a visitor is never brought back to: it would lead in circles, or out again. */
const ownPath = /^\/\.latchkey(?:[/?]|$)/i;

/** A whole address, as a proxy or our own redirect writes it; null for anything else. */
export function readDoorAddress(text: string): DoorAddress | null {
  if (neverInAddress.test(text)) return null;
  const match = /^(https?):\/\/([^/?#]+)([/?][^#]*)?$/i.exec(text);
  if (!match) return null;
  const [, scheme = "", authority = "", rest = "/"] = match;
  return makeDoorAddress({ scheme, authority, path: rest.startsWith("/") ? rest : `/${rest}` });
}

/** From parts as they came. A WebSocket's scheme counts as the one it was upgraded from. */
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

/** Anybody on the path of plain HTTP can read its cookies; on this very machine there is no such path. */
export function isPlain({ scheme }: Pick<DoorAddress, "scheme">): boolean {
  return scheme === "http";
}

/** Whether a `host[:port]` in normal form can be nobody but this machine. */
export function isLoopbackSite(host: string): boolean {
  return isLoopbackName(host.replace(/:[0-9]+$/, ""));
}

/**
 * A path on the very host it is used on, as it may stand in `Location`; `/` in place of anything else. A second slash or
 * a backslash at its beginning would name another host, also one that comes to stand there when dots are resolved.
 */
export function toReturnPath(given: string | null): string {
  if (given === null || given.length > maxReturnPathChars || neverInAddress.test(given)) return "/";
  if (!/^\/(?![/\\])/.test(given) || !URL.canParse(given, "https://site.invalid")) return "/";
  const { host, pathname, search } = new URL(given, "https://site.invalid");
  // In a query browsers leave it as it is; the gate would take it for a slash.
  const path = `${pathname}${search.replaceAll("\\", "%5C")}`;
  if (host !== "site.invalid" || pathname.startsWith("//") || ownPath.test(path)) return "/";
  return path.length > maxReturnPathChars || growsTooMuch(startPath(path), given) ? "/" : path;
}

export function growsTooMuch(written: string, given: string): boolean {
  return written.length > 2 * given.length + smallGrowthChars;
}

/** Where the way in to a path begins, on the site itself. */
export function startPath(path: string): string {
  return `/.latchkey/start?${new URLSearchParams({ to: path }).toString()}`;
}
