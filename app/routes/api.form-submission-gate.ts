import { submitFormOperation } from "~/gate/gate.openapi";
import { formSubmissionSchema } from "~/gate/gate.schema";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: submitFormOperation,
    body: formSubmissionSchema,
    decidesAccess: true,
    handle: ({ context: { host, requestId }, body: submission, noteClaim }) =>
      getServices().gate.submit({ submission, host, requestId, noteClaim }),
  },
});
