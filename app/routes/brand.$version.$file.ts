import { getBrandFileOperation } from "~/platform/brand/brand.openapi";
import { answerBrandFile } from "~/platform/brand/open-brand.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getBrandFileOperation,
    handle: ({ params }) => answerBrandFile(getServices().brand, params.version, params.file),
  },
});
