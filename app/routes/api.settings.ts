import { getSettingsOperation } from "~/platform/openapi/service.openapi";
import { defineRoute } from "~/platform/http/route.server";

/** For clients that want to sign. */
export const { loader, action } = defineRoute({
  GET: { operation: getSettingsOperation, handle: ({ context }) => ({ ...context.service.publicSettings }) },
});
