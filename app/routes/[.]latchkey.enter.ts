import { enterSiteOperation } from "~/door/door.openapi";
import { siteRefusalResponse } from "~/door/site-page.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  isForSites: true,
  GET: { operation: enterSiteOperation, handle: ({ context }) => getServices().door.enter(context) },
  toRefusalResponse: siteRefusalResponse,
});
