import { getProtectedResourceOperation } from "~/tools/tools.openapi";
import { answerJson } from "~/platform/http/answer.server";
import { Refusal } from "~/platform/refusals/refusal";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getProtectedResourceOperation(),
    handle: ({ params }) => {
      const resource = getServices().tools.findResource({ suffix: params["*"] ?? "" });
      if (resource === null) throw new Refusal("not-found");
      return answerJson({ body: resource, headers: { "Cache-Control": "public, max-age=300" } });
    },
  },
});
