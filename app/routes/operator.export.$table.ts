import { jsonResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { requireOperatorService } from "~/services.server";
import { operatorCaller } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  GET: {
    caller: operatorCaller,
    handle: ({ context: { method, searchParams, signal }, params: { table }, caller: actor }) =>
      // HEAD is no export, and isn't audited.
      method === "HEAD"
        ? jsonResponse({ body: "" })
        : requireOperatorService().exportTable({ table, searchParams, actor, signal }),
  },
});
