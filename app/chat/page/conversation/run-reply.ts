import { openChatStream, RefusedError, toSentMessages } from "./chat-api";
import type { Quota } from "./chat-api";
import { noticeForBrokenAnswer, noticeForFailure } from "../chat-notice";
import type { ChatNotice } from "../chat-notice";
import { applyEvent, settleTools } from "./conversation";
import type { Message, Reply } from "./conversation";

type RunReplyOptions = {
  path: string;
  model: string | null;
  reply: Reply;
  /** The conversation up to the question. */
  shown: readonly Message[];
  signal: AbortSignal;
  onStart: (start: { quota: Quota | null; isWhole: boolean }) => void;
  onChange: (reply: Reply) => void;
};

/** Asks, and hands on the reply as it grows, up to its end, whichever it is. Never throws. */
export async function runReply({
  path,
  model,
  reply: first,
  shown,
  signal,
  onStart,
  onChange,
}: RunReplyOptions): Promise<void> {
  let reply = first;
  let errorText: string | null = null;
  try {
    const { messages, isWhole } = toSentMessages(shown);
    const { events, quota } = await openChatStream({ path, messages, model, signal });
    onStart({ quota, isWhole });
    for await (const event of events) {
      if (signal.aborted) break;
      if (event.type === "error") errorText = event.errorText;
      reply = applyEvent(reply, event, Date.now());
      onChange(reply);
    }
    onChange(end({ reply, errorText, isStopped: signal.aborted }));
  } catch (error) {
    const isStopped = signal.aborted;
    onChange({
      ...reply,
      parts: settleTools(reply.parts),
      status: isStopped ? "stopped" : "failed",
      notice: isStopped ? null : noticeFor({ error, hasBegun: reply.parts.length > 0 }),
    });
  }
}

function end({
  reply,
  errorText,
  isStopped,
}: {
  reply: Reply;
  errorText: string | null;
  isStopped: boolean;
}): Reply {
  const parts = settleTools(reply.parts);
  if (isStopped) return { ...reply, parts, status: "stopped" };
  // Without its last event the answer was cut off, however complete it may look.
  const hasFailed = errorText !== null || reply.finishReason === null || reply.finishReason === "error";
  if (!hasFailed) return { ...reply, parts, status: "done" };
  return {
    ...reply,
    parts,
    status: "failed",
    notice: noticeForBrokenAnswer({ errorText, hasContent: parts.length > 0 }),
  };
}

function noticeFor({ error, hasBegun }: { error: unknown; hasBegun: boolean }): ChatNotice {
  if (error instanceof RefusedError) return error.notice;
  if (hasBegun && navigator.onLine) return noticeForBrokenAnswer({ errorText: null, hasContent: true });
  return noticeForFailure({ activity: "asking", isOnline: navigator.onLine });
}
