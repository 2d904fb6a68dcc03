import { getManifestOperation } from "~/platform/brand/brand.openapi";
import { jsonResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getManifestOperation,
    handle: () =>
      jsonResponse({
        body: getServices().brand.manifest,
        contentType: "application/manifest+json; charset=utf-8",
        headers: { "Cache-Control": "no-cache" },
      }),
  },
});
