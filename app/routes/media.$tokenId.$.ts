import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
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
