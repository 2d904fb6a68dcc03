import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "~/platform/refusals/refusal";

/**
 * On a shared domain, another origin of the same site may be anybody's, so the allowlist must name it. Other clients
 * than browsers send neither header.
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
