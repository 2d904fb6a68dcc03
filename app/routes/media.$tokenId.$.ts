import { getMediaOperation } from "~/content/content.openapi";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getMediaOperation,
    handle: ({ context, params }) =>
      getServices().content.serveMedia({
        tokenId: params.tokenId ?? "",
        file: params["*"] ?? "",
        searchParams: context.searchParams,
        method: context.method,
        headers: context.headers,
      }),
  },
});
