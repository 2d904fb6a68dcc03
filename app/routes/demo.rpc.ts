import { askDemoChainOperation } from "~/demo/demo.openapi";
import { rpcRequestSchema } from "~/demo/demo.schema";
import { defineRoute } from "~/platform/http/route.server";
import { requireDemo } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: askDemoChainOperation,
    body: rpcRequestSchema,
    handle: ({ body }) => requireDemo().forward(body),
  },
});
