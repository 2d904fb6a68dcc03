import { formSubmissionSchema } from "~/gate/gate.schema";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    limit: "form-submission",
    body: formSubmissionSchema,
    handle: ({ context, body }) =>
      getServices().gate.submit({ submission: body, host: context.host, requestId: context.requestId }),
  },
});
