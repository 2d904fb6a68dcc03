import { getReadinessOperation } from "~/platform/openapi/service.openapi";
import { answerJson } from "~/platform/http/answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getReadinessOperation,
    handle: async () => {
      const { readReadiness, quota } = getServices();
      const readiness = await readReadiness();
      const status = readiness.status === "unready" ? 503 : 200;
      return answerJson({ body: { ...readiness, quota: quota.activity }, status });
    },
  },
});
