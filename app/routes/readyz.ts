import { getReadinessOperation } from "~/platform/openapi/service.openapi";
import { jsonResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getReadinessOperation,
    handle: async () => {
      const { readReadiness, quota } = getServices();
      const readiness = await readReadiness();
      const status = readiness.status === "unready" ? 503 : 200;
      return jsonResponse({ body: { ...readiness, quota: quota.activity }, status });
    },
  },
});
