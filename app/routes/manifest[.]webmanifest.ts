import { getManifestOperation } from "~/platform/brand/brand.openapi";
import { answerJson } from "~/platform/http/answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { writeManifest } from "~/platform/brand/brand";

export const { loader, action } = defineRoute({
  GET: {
    operation: getManifestOperation,
    handle: ({ context }) =>
      answerJson({
        body: writeManifest(context.service.brand),
        contentType: "application/manifest+json; charset=utf-8",
        headers: { "Cache-Control": "no-cache" },
      }),
  },
});
