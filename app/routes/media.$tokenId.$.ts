import { getMediaOperation } from "~/content/content.openapi";
import { readMediaConditions } from "~/content/media.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getMediaOperation,
    handle: ({
      context: { searchParams: link, method, headers },
      params: { tokenId = "", "*": file = "" },
    }) => getServices().content.serveMedia({ tokenId, file, link, method, ...readMediaConditions(headers) }),
  },
});
