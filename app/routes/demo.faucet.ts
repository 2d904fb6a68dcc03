import { faucetRequestSchema } from "~/demo/demo.schema";
import { defineRoute } from "~/platform/http/route.server";
import { requireDemo } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: { body: faucetRequestSchema, handle: ({ body }) => requireDemo().fillWallet(body) },
});
