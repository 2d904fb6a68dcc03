import { stopChatOperation } from "~/chat/kept/resume.openapi";
import { createChatRefusalAnswer } from "~/chat/reply/answer-chat.server";
import { systemClock } from "~/platform/clock";
import { defineRoute } from "~/platform/http/route.server";
import { requireResumable } from "~/services.server";
import { keyHolder } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: stopChatOperation,
    caller: keyHolder(stopChatOperation.caller),
    handle: async ({ params, caller }) => {
      await requireResumable().stop({ caller, conversationId: params.id });
      return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
    },
  },
  answerRefusal: createChatRefusalAnswer(systemClock),
});
