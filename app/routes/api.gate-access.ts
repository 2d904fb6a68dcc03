import { answerAdmission } from "~/gate/admit.server";
import { openGateOperation } from "~/gate/gate.openapi";
import { gateAccessBodySchema } from "~/gate/gate.schema";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: openGateOperation,
    body: gateAccessBodySchema,
    decidesAccess: true,
    handle: async ({ context: { headers, clientId, host }, body, noteClaim }) => {
      const { authorization } = headers;
      return answerAdmission(
        await getServices().gate.admit({ authorization, body, clientId, host, noteClaim }),
      );
    },
  },
});
