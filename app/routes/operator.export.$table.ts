import { answerJson } from "~/platform/http/answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    handle: async ({ context, params }) => {
      const operator = requireOperatorService();
      const { clientId, requestId, headers, searchParams, signal } = context;
      await operator.requireSession({ cookie: headers.cookie });
      // Asking for the headers of a file is no export, and leaves no trace of one.
      if (context.method === "HEAD") return answerJson({ body: "" });
      const actor = { clientId, requestId };
      return operator.exportTable({ table: params.table, searchParams, actor, signal });
    },
  },
});
