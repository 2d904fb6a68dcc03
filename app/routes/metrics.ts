import { getMetricsOperation } from "~/platform/openapi/service.openapi";
import { textResponse } from "~/platform/http/responses.server";
import { requireMetricsToken } from "~/platform/metrics/metrics-access.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getMetricsOperation,
    guard: ({ context }) =>
      requireMetricsToken(context.headers.authorization, getServices().config.serving.metricsToken),
    handle: async () => {
      const { body, contentType } = await getServices().metrics.render();
      return textResponse({ text: body, contentType, headers: { "Cache-Control": "no-store" } });
    },
  },
});
