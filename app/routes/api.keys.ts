import { listKeysOperation } from "~/gate/kinds/keys.openapi";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: listKeysOperation,
    handle: ({ context }) => getServices().answerKeyList({ ifNoneMatch: context.headers["if-none-match"] }),
  },
});
