import { getMediaOperation } from "~/content/content.openapi";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getMediaOperation,
    handle: ({ context: { searchParams, method, headers }, params: { tokenId = "", "*": file = "" } }) =>
      getServices().content.serveMedia({ tokenId, file, searchParams, method, headers }),
  },
});
