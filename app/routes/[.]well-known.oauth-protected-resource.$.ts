import { getProtectedResourceOperation } from "~/tools/tools.openapi";
import { jsonResponse } from "~/platform/http/responses.server";
import { Refusal } from "~/platform/refusals/refusal";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getProtectedResourceOperation(),
    handle: ({ params }) => {
      const resource = getServices().tools.findResource({ suffix: params["*"] ?? "" });
      if (resource === null) throw new Refusal("not-found");
      return jsonResponse({ body: resource, headers: { "Cache-Control": "public, max-age=300" } });
    },
  },
});
