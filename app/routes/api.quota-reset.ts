import { resetQuotasOperation } from "~/quota/quota.openapi";
import { errorResponse } from "~/platform/http/responses.server";
import { parseShape } from "~/platform/http/body/body.server";
import { defineRoute } from "~/platform/http/route.server";
import { quotaResetBodySchema } from "~/quota/quota.schema";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: resetQuotasOperation,
    caller: {
      hidesBodyFaults: true,
      identify: ({ context: { headers, searchParams, clientId, requestId }, body }) =>
        getServices().quota.identifyReset({ headers, searchParams, body, clientId, requestId }),
    },
    body: (json) => parseShape(quotaResetBodySchema, json),
    handle: ({ body: order, caller }) => getServices().quota.reset(order, caller),
  },
  toRefusalResponse: errorResponse,
});
