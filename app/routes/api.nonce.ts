import { gateOperations } from "~/gate/admission/gate.openapi";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: gateOperations.getNonce,
    head: "plain",
    handle: async ({ context: { clientId } }) => ({
      nonce: await getServices().gate.issueNonce({ clientId }),
    }),
  },
});
