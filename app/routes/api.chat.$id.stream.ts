import { resumeChatOperation } from "~/chat/kept/resume.openapi";
import { findLastEventId } from "~/chat/kept/last-event-id";
import { createChatRefusalAnswer } from "~/chat/reply/answer-chat.server";
import { systemClock } from "~/platform/clock";
import { defineRoute } from "~/platform/http/route.server";
import { answerNumberedEvents, eventStreamHeaders } from "~/platform/http/sse.server";
import { requireResumable } from "~/services.server";
import { keyHolder } from "~/services/callers.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: resumeChatOperation,
    caller: keyHolder(resumeChatOperation.caller),
    handle: async ({ context, params, caller }) => {
      const { method, searchParams, signal, requestId, log } = context;
      const resumable = requireResumable();
      const found = await resumable.find({ caller, conversationId: params.id });
      const wanted = searchParams.get("reply");
      if (!found || (wanted !== null && wanted !== found.replyId)) {
        return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
      }
      const headers = { ...found.headers, "X-Reply-Id": found.replyId };
      if (method === "HEAD") return new Response(null, { headers: { ...eventStreamHeaders, ...headers } });
      const source = resumable.read(found, findLastEventId(context));
      const onFailure = (err: unknown) => log.error({ err, requestId }, "chat stream failed");
      return answerNumberedEvents({ source, headers, signal, onFailure });
    },
  },
  answerRefusal: createChatRefusalAnswer(systemClock),
});
