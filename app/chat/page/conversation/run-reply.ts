import { openChatStream, RefusedError, toSentMessages } from "./chat-api";
import type { Quota } from "./chat-api";
import { noticeForBrokenAnswer, noticeForFailure } from "../chat-notice";
import type { ChatNotice } from "../chat-notice";
import { applyEvent, settleTools } from "./conversation";
import type { Message, Reply } from "./conversation";

type RunReplyOptions = {
  path: string;
  reply: Reply;
  /** The conversation up to the question. */
  shown: readonly Message[];
  signal: AbortSignal;
  onStart: (start: { quota: Quota | null; isWhole: boolean }) => void;
  onChange: (reply: Reply) => void;
};

/** Asks, and reports the reply as it grows, up to its end, whichever it is. */
export async function runReply({ path, shown, signal, onStart, onChange, ...options }: RunReplyOptions) {
  let { reply } = options;
  let errorText: string | null = null;
  let notice: ChatNotice | null = null;
  try {
    const { messages, isWhole } = toSentMessages(shown);
    const { events, quota } = await openChatStream({ path, messages, model: reply.model, signal });
    onStart({ quota, isWhole });
    for await (const event of events) {
      if (signal.aborted) break;
      if (event.type === "error") errorText = event.errorText;
      reply = applyEvent(reply, event, Date.now());
      onChange(reply);
    }
    // Without its last event the answer was cut off, however complete it may look.
    if (errorText !== null || reply.finishReason === null || reply.finishReason === "error") {
      notice = noticeForBrokenAnswer({ errorText, hasContent: reply.parts.length > 0 });
    }
  } catch (error) {
    notice = noticeFor(error, reply.parts.length > 0);
  }
  const parts = settleTools(reply.parts);
  const ended: Reply = signal.aborted
    ? { ...reply, parts, status: "stopped" }
    : { ...reply, parts, status: notice ? "failed" : "done", notice };
  onChange(ended);
  return ended;
}

function noticeFor(error: unknown, hasContent: boolean): ChatNotice {
  if (error instanceof RefusedError) return error.notice;
  if (hasContent && navigator.onLine) return noticeForBrokenAnswer({ errorText: null, hasContent });
  return noticeForFailure({ activity: "asking", isOnline: navigator.onLine });
}
