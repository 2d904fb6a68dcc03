import { readCookie } from "~/platform/http/header-text";
import { isPlain } from "./door-address";
import type { DoorAddress } from "./door-address";

export const startCookieSeconds = 600;

type Site = Pick<DoorAddress, "scheme" | "host">;
type DoorCookie = "door" | "start";

/**
 * Cookies know no ports, and without TLS no prefix that ties them to a host: on this machine, where plain HTTP is
 * allowed, the port is in the name.
 */
export function doorCookieName(kind: DoorCookie, site: Site): string {
  if (!isPlain(site)) return `__Host-latchkey-${kind}`;
  return `latchkey-${kind}-${/:([0-9]+)$/.exec(site.host)?.[1] ?? "80"}`;
}

export function readDoorCookie(kind: DoorCookie, site: Site, cookie: string | undefined): string | null {
  return readCookie(cookie, doorCookieName(kind, site)) || null;
}

/** An empty value takes the cookie back. */
export function writeDoorCookie(
  kind: DoorCookie,
  site: Site,
  given: { value: string; maxAgeSeconds: number },
) {
  const age = given.value === "" ? 0 : Math.max(0, Math.floor(given.maxAgeSeconds));
  const secure = isPlain(site) ? "" : "; Secure";
  return `${doorCookieName(kind, site)}=${given.value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}
