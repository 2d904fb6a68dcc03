import { callToolsOperation } from "~/tools/tools.openapi";
import { Refusal } from "~/platform/refusals/refusal";
import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { keyHolder } from "~/services/callers.server";
import { toMcpRefusalResponse, readRevisionHeaders } from "~/tools/mcp/mcp.server";
import { readMessage } from "~/tools/mcp/message";

export const { loader, action } = defineRoute({
  POST: {
    operation: callToolsOperation,
    guard: ({ context, body }) => {
      const { host, headers } = context;
      getServices().tools.requireTrustedSite({ host, origin: headers.origin });
      if (body === undefined) throw new Refusal("invalid-json-body", { detail: "The body is empty." });
    },
    caller: keyHolder(callToolsOperation.caller),
    body: readMessage,
    decidesAccess: true,
    handle: ({ context, caller, body: message }) => {
      const headers = readRevisionHeaders(context.headers);
      return getServices().tools.respondToMcp({ message, caller, headers, signal: context.signal });
    },
  },
  toRefusalResponse: toMcpRefusalResponse,
});
