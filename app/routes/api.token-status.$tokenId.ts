import { getTokenStatusOperation } from "~/gate/gate.openapi";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getTokenStatusOperation,
    head: "plain",
    handle: ({ params }) => getServices().gate.readTokenStatus({ tokenId: params.tokenId }),
  },
});
