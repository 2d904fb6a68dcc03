import { getQuotaOperation } from "~/quota/quota.openapi";
import { errorResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { keyHolder } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getQuotaOperation,
    caller: keyHolder(getQuotaOperation.caller),
    handle: ({ caller }) => getServices().quota.readQuota({ caller }),
  },
  toRefusalResponse: errorResponse,
});
