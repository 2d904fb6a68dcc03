import { pageRefusalResponse } from "~/platform/http/plain-page.server";
import type { RefusedRequest } from "~/platform/http/route.server";
import { startPath, toReturnPath } from "./door-address";

/** On the site's own host, with a link to go on. */
export function siteRefusalResponse(refused: RefusedRequest): Response {
  const to = refused.searchParams?.get("to") ?? null;
  const way =
    refused.refusal.status === 404 || to === null
      ? { href: "/", label: "Back to the site" }
      : { href: startPath(toReturnPath(to)), label: "Try again" };
  return pageRefusalResponse(refused.headers.accept, refused, way);
}
