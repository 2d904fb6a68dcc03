import { openGateOperation } from "~/gate/gate.openapi";
import { gateAccessBodySchema } from "~/gate/gate.schema";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: openGateOperation,
    body: gateAccessBodySchema,
    decidesAccess: true,
    handle: ({ context: { headers, clientId, host }, body, noteClaim }) => {
      const { authorization } = headers;
      return getServices().gate.admit({ authorization, body, clientId, host, noteClaim });
    },
  },
});
