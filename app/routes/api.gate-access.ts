import { gateAccessBodySchema } from "~/gate/gate.schema";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    limit: "gate-access",
    body: gateAccessBodySchema,
    bodyOptional: true,
    handle: ({ context, body }) =>
      getServices().gate.admit({
        authorization: context.headers.authorization,
        body,
        clientId: context.clientId,
        host: context.host,
      }),
  },
});
