import { resumeChatOperation } from "~/chat/resume.openapi";
import { createChatRefusalResponse } from "~/chat/reply/start-reply.server";
import { systemClock } from "~/platform/time/clock";
import { defineRoute } from "~/platform/http/route.server";
import { toNumberedEventStream, eventStreamHeaders } from "~/chat/event-stream.server";
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
      const afterId =
        readLastEventId(context.headers["last-event-id"]) ?? readLastEventId(searchParams.get("after")) ?? 0;
      const source = resumable.read(found, afterId);
      const onFailure = (err: unknown) => log.error({ err, requestId }, "chat stream failed");
      return toNumberedEventStream({ source, headers, signal, onFailure });
    },
  },
  toRefusalResponse: createChatRefusalResponse(systemClock),
});

/** Anything but a whole number counts as absent. */
function readLastEventId(given: string | string[] | null | undefined): number | null {
  if (typeof given !== "string" || !/^\d+$/.test(given)) return null;
  return Math.min(Number(given), Number.MAX_SAFE_INTEGER);
}
