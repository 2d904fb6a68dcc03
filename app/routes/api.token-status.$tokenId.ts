import { gateOperations } from "~/gate/admission/gate.openapi";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: gateOperations.getTokenStatus,
    head: "plain",
    handle: ({ params: { tokenId }, context: { searchParams } }) =>
      getServices().gate.readTokenStatus({ tokenId, key: searchParams.get("key") ?? undefined }),
  },
});
