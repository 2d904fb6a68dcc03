import { gateOperations } from "~/gate/admission/gate.openapi";
import { answerJson } from "~/platform/http/answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: gateOperations.getPublicKeys,
    handle: () => {
      const headers = { "Cache-Control": "public, max-age=300" };
      return answerJson({ body: getServices().gate.publicKeys(), headers });
    },
  },
});
