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
      const { host, requestId } = context;
      context.accessClaim = { proof: "legacy", address: body.address, tokenId: body.tokenId };
      return getServices().gate.submit({ submission: body, host, requestId });
    },
  },
});
