import { getHealthOperation } from "~/platform/openapi/service.openapi";
import { defineRoute } from "~/platform/http/route.server";

export const { loader, action } = defineRoute({
  GET: { operation: getHealthOperation, handle: () => ({ status: "alive" }) },
});
