import { getManifestOperation } from "~/platform/brand/brand.openapi";
import { answerJson } from "~/platform/http/answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getManifestOperation,
    handle: () =>
      answerJson({
        body: getServices().brand.manifest,
        contentType: "application/manifest+json; charset=utf-8",
        headers: { "Cache-Control": "no-cache" },
      }),
  },
});
