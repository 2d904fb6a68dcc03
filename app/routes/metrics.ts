import { answerText } from "~/platform/http/answer.server";
import { requireMetricsToken } from "~/platform/metrics-access.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    handle: async ({ context }) => {
      const { config, metrics } = getServices();
      requireMetricsToken({
        authorization: context.headers.authorization,
        expected: config.serving.metricsToken,
      });
      const { body, contentType } = await metrics.render();
      return answerText({ text: body, contentType, headers: { "Cache-Control": "no-store" } });
    },
  },
});
