import { defineRoute } from "~/platform/http/route.server";

/** What a client has to know before it can sign: the chain, the contract and the standard of the keys. */
export const { loader, action } = defineRoute({
  GET: { handle: ({ context }) => ({ ...context.service.publicSettings }) },
});
