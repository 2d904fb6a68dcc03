import { getPublicKeysOperation } from "~/gate/gate.openapi";
import { answerJson } from "~/platform/http/answer.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getPublicKeysOperation,
    handle: () =>
      answerJson({
        body: getServices().gate.publicKeys(),
        headers: { "Cache-Control": "public, max-age=300" },
      }),
  },
});
