import { getOpenApiOperation } from "~/platform/openapi/service.openapi";
import { Refusal } from "~/platform/http/refusal";
import { defineRoute } from "~/platform/http/route.server";
import { getApiDescription } from "~/services/api-description.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getOpenApiOperation,
    handle: ({ context }) => {
      const services = getServices();
      if (!services.config.serving.openApiEnabled) {
        throw new Refusal("not-found", { detail: "This gate does not publish its API description." });
      }
      return getApiDescription(services)({ ifNoneMatch: context.headers["if-none-match"] });
    },
  },
});
