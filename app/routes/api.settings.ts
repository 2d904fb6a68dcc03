import { getSettingsOperation } from "~/platform/openapi/service.openapi";
import { defineRoute } from "~/platform/http/route.server";

/** What a client has to know before it can sign. */
export const { loader, action } = defineRoute({
  GET: { operation: getSettingsOperation, handle: ({ context }) => ({ ...context.service.publicSettings }) },
});
