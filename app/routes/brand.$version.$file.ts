import { getBrandFileOperation } from "~/platform/brand/brand.openapi";
import { brandFileResponse } from "~/platform/brand/open-brand.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getBrandFileOperation,
    handle: ({ params }) => brandFileResponse(getServices().brand, params.version, params.file),
  },
});
