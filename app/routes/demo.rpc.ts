import { rpcRequestSchema } from "~/demo/demo.schema";
import { defineRoute } from "~/platform/http/route.server";
import { requireDemo } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: { body: rpcRequestSchema, handle: ({ body }) => requireDemo().forward(body) },
});
