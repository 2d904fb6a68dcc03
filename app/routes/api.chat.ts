import { chatOperation } from "~/chat/chat.openapi";
import {
  createChatRefusalResponse,
  requireChatRequest,
  requireReplyId,
} from "~/chat/reply/start-reply.server";
import { systemClock } from "~/platform/time/clock";
import { defineRoute } from "~/platform/http/route.server";
import { toEventStream, toNumberedEventStream } from "~/chat/event-stream.server";
import { getServices } from "~/services.server";
import { keyHolder } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  POST: {
    operation: chatOperation,
    caller: keyHolder(chatOperation.caller),
    body: requireChatRequest,
    decidesAccess: true,
    handle: async ({ context, body: request, caller }) => {
      const { signal, requestId, log } = context;
      const onFailure = (err: unknown) => log.error({ err, requestId }, "chat stream failed");
      const { chat } = getServices();
      const { conversationId } = request;
      if (chat.resumable && conversationId && context.headers["x-chat-resumable"] === "1") {
        const replyId = requireReplyId(context.headers["x-reply-id"]);
        const question = { request, caller, clientId: context.clientId, conversationId, replyId };
        const { source, headers } = await chat.resumable.answer(question);
        return toNumberedEventStream({ source, headers, signal, onFailure });
      }
      const { events, headers } = await chat.answer({ request, caller, signal });
      return toEventStream({ events, headers, signal, onFailure });
    },
  },
  toRefusalResponse: createChatRefusalResponse(systemClock),
});
