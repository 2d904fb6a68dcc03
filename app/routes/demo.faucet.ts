import { fillWalletOperation } from "~/demo/demo.openapi";
import { faucetRequestSchema } from "~/demo/demo.schema";
import { defineRoute } from "~/platform/http/route.server";
import { requireDemo } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: fillWalletOperation,
    body: faucetRequestSchema,
    handle: ({ body }) => requireDemo().fillWallet(body),
  },
});
