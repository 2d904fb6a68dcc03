import { answerError } from "~/platform/http/answer.server";
import { readJsonBody } from "~/platform/http/json-body.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

const maxBodyBytes = 16 * 1024;

export const { loader, action } = defineRoute({
  POST: {
    limit: "quota-reset",
    handle: ({ context }) => {
      const { headers, searchParams, clientId, requestId } = context;
      return getServices().quota.resetByRequest({
        headers,
        searchParams,
        clientId,
        requestId,
        readBody: () => readJsonBody({ context, maxBytes: maxBodyBytes }),
      });
    },
  },
  answerRefusal: answerError,
});
