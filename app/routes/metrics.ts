import { getMetricsOperation } from "~/platform/openapi/service.openapi";
import { answerText } from "~/platform/http/answer.server";
import { requireMetricsToken } from "~/platform/metrics-access.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getMetricsOperation,
    handle: async ({ context }) => {
      const { config, metrics } = getServices();
      requireMetricsToken(context.headers.authorization, config.serving.metricsToken);
      const { body, contentType } = await metrics.render();
      return answerText({ text: body, contentType, headers: { "Cache-Control": "no-store" } });
    },
  },
});
