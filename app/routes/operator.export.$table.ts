import { jsonResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";
import { operatorCaller } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  GET: {
    caller: operatorCaller,
    handle: ({ context: { method, searchParams, signal }, params: { table }, caller: actor }) =>
      // Asking for the headers of a file is no export, and leaves no trace of one.
      method === "HEAD"
        ? jsonResponse({ body: "" })
        : requireOperatorService().exportTable({ table, searchParams, actor, signal }),
  },
});
