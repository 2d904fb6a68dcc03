import { stopChatOperation } from "~/chat/resume.openapi";
import { createChatRefusalResponse, requireReplyId } from "~/chat/reply/start-reply.server";
import { systemClock } from "~/platform/time/clock";
import { defineRoute } from "~/platform/http/route.server";
import { requireResumable } from "~/services.server";
import { keyHolder } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: stopChatOperation,
    caller: keyHolder(stopChatOperation.caller),
    handle: async ({ context, params, caller }) => {
      const resumable = requireResumable();
      const replyId = requireReplyId(context.headers["x-reply-id"]);
      await resumable.stop({ caller, conversationId: params.id, replyId });
      return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
    },
  },
  toRefusalResponse: createChatRefusalResponse(systemClock),
});
