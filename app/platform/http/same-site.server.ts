import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "~/platform/refusals/refusal";

/**
 * A page of the same site under another origin (`same-site`) may be anybody's on a shared domain: it has to be on the
 * allowlist by name. Clients that are no browsers send neither header.
 */
export function requireSameSite(
  headers: IncomingHttpHeaders,
  { isAllowedOrigin }: { isAllowedOrigin: (origin: string) => boolean },
): void {
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const isOriginAllowed = origin !== undefined && isAllowedOrigin(origin);
  const isOwnSite = site === "same-origin" || site === "none" || (site === "same-site" && isOriginAllowed);
  if (isOwnSite && (origin === undefined || isOriginAllowed)) return;
  throw new Refusal("cross-site-request");
}
