import { listModelsOperation } from "~/chat/chat.openapi";
import { errorResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { keyHolder } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: listModelsOperation,
    caller: keyHolder(listModelsOperation.caller),
    handle: () => getServices().chat.listModels(),
  },
  toRefusalResponse: errorResponse,
});
