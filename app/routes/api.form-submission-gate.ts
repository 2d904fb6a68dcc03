import { submitFormOperation } from "~/gate/gate.openapi";
import { formSubmissionSchema } from "~/gate/gate.schema";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: submitFormOperation,
    body: formSubmissionSchema,
    decidesAccess: true,
    handle: ({ context, body }) => {
      const { address, tokenId } = body;
      context.accessClaim = { proof: "legacy", address, tokenId };
      const { host, requestId } = context;
      return getServices().gate.submit({ submission: body, host, requestId });
    },
  },
});
