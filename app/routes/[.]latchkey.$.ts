import { siteRefusalResponse } from "~/door/site-page.server";
import { Refusal } from "~/platform/refusals/refusal";
import { defineRoute } from "~/platform/http/route.server";

function refuse(): never {
  throw new Refusal("not-found");
}

/** Our pages would load files that are behind the site's own door. */
export const { loader, action } = defineRoute({
  isForSites: true,
  GET: { handle: refuse },
  toRefusalResponse: siteRefusalResponse,
});
