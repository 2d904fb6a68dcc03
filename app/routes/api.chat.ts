import { chatOperation } from "~/chat/chat.openapi";
import { createChatRefusalAnswer, requireChatRequest } from "~/chat/reply/answer-chat.server";
import { systemClock } from "~/platform/clock";
import { defineRoute } from "~/platform/http/route.server";
import { answerEventStream } from "~/platform/http/sse.server";
import { getServices } from "~/services.server";
import { keyHolder } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: chatOperation,
    caller: keyHolder(chatOperation.caller),
    body: requireChatRequest,
    decidesAccess: true,
    handle: async ({ context, body: request, caller }) => {
      const { clientId, signal, requestId, log } = context;
      const { events, headers } = await getServices().chat.answer({ request, caller, clientId, signal });
      const onFailure = (err: unknown) => log.error({ err, requestId }, "chat stream failed");
      return answerEventStream({ events, headers, signal, onFailure });
    },
  },
  answerRefusal: createChatRefusalAnswer(systemClock),
});
