import { createChatRefusalAnswer } from "~/chat/answer-chat.server";
import { systemClock } from "~/platform/clock";
import { defineRoute } from "~/platform/http/route.server";
import { answerEventStream } from "~/platform/http/sse.server";
import { getServices } from "~/services.server";

export const { loader, action } = defineRoute({
  POST: {
    decidesAccess: true,
    handle: async ({ context }) => {
      const { events, headers } = await getServices().chat.answer({ context });
      return answerEventStream({
        events,
        headers,
        signal: context.signal,
        onFailure: (error) =>
          context.log.error({ err: error, requestId: context.requestId }, "a chat stream failed"),
      });
    },
  },
  answerRefusal: createChatRefusalAnswer({ clock: systemClock }),
});
