import { defineRoute } from "~/platform/http/route.server";
import { getServices } from "~/services.server";
import { answerMcpRefusal } from "~/tools/mcp/answer.server";

export const { loader, action } = defineRoute({
  POST: {
    limit: "mcp",
    decidesAccess: true,
    handle: ({ context }) => getServices().tools.answerMcp({ context }),
  },
  answerRefusal: answerMcpRefusal,
});
