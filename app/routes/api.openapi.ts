import { getOpenApiOperation } from "~/platform/openapi/service.openapi";
import { Refusal } from "~/platform/refusals/refusal";
import { defineRoute } from "~/platform/http/route.server";
import { getApiDescription } from "~/services/api-description.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getOpenApiOperation,
    guard: () => {
      if (getServices().config.serving.openApiEnabled) return;
      throw new Refusal("not-found", { detail: "This gate does not publish its API description." });
    },
    handle: ({ context }) =>
      getApiDescription(getServices())({ ifNoneMatch: context.headers["if-none-match"] }),
  },
});
