import { gateOperations } from "~/gate/admission/gate.openapi";
import { jsonResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: gateOperations.getPublicKeys,
    handle: () => {
      const headers = { "Cache-Control": "public, max-age=300" };
      return jsonResponse({ body: getServices().gate.publicKeys(), headers });
    },
  },
});
