import { openGateOperation } from "~/gate/gate.openapi";
import { gateAccessBodySchema } from "~/gate/gate.schema";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: openGateOperation,
    body: gateAccessBodySchema,
    decidesAccess: true,
    handle: ({ context, body }) => {
      if (body && body.tier !== "bearer") {
        context.accessClaim = { proof: body.tier, address: body.address, tokenId: body.tokenId };
      }
      return getServices().gate.admit({
        authorization: context.headers.authorization,
        body,
        clientId: context.clientId,
        host: context.host,
        onIdentified: ({ kind, address, tokenId }) => {
          context.accessClaim = { proof: kind, address, tokenId };
        },
      });
    },
  },
});
