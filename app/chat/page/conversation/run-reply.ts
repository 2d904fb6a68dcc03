import { noticeForBrokenReply, noticeForFailure } from "../chat-notice";
import type { ChatNotice } from "../chat-notice";
import { askQuestion, readRefusal, RefusedError, resumeReply, toSentMessages } from "./chat-api";
import { settleTools, takeEvent } from "./conversation";
import type { Message, Reply } from "./conversation";
import { backoffMs, pause } from "./network";
import type { Network } from "./network";
import { ReplyGoneError, readReplyStream } from "./reply-stream";

/** Why a page stops reading a reply before its end. */
export type LeavingReason = "stopped" | "left" | "ended-elsewhere";

export type RunReplyOptions = {
  path: string;
  conversationId: string;
  reply: Reply;
  /** The conversation up to the question; null to resume the reply. */
  shown: readonly Message[] | null;
  /** Aborted with a `LeavingReason`. */
  signal: AbortSignal;
  network: Network;
  /** Whether the reply with this name is about to end, which makes room for this one. */
  isEnding: (replyId: string) => boolean;
  onSent: (sent: { isWhole: boolean }) => void;
  onLost: (isLost: boolean) => void;
  onChange: (reply: Reply) => void;
};

/** A question is on its way for at most this long. */
const beginsWithinMs = 15_000;

/** Asks or resumes, and reports the growing reply until its end. `isGone`: the server had nothing to resume. */
export async function runReply(options: RunReplyOptions): Promise<{ reply: Reply; isGone: boolean }> {
  const { path, conversationId, shown, signal, network, onLost, onChange } = options;
  let { reply } = options;
  let errorText: string | null = null;
  let notice: ChatNotice | null = null;
  let isGone = false;
  try {
    const events = readReplyStream({
      body: shown && (await begin(shown)),
      reopen: reply.replyId === undefined ? null : resume,
      mayBegin: () => reply.lastEventId === undefined && Date.now() - reply.createdAtMs < beginsWithinMs,
      readRefusal: (response) => readRefusal(response, "asking"),
      signal,
      network,
      onLost,
    });
    for await (const streamed of events) {
      if (signal.aborted) break;
      if (streamed.event.type === "error") ({ errorText } = streamed.event);
      reply = takeEvent(reply, streamed, Date.now());
      onChange(reply);
    }
    // Without its last event the reply was cut off, however complete it looks.
    if (errorText !== null || reply.finishReason === null || reply.finishReason === "error") {
      notice = noticeForBrokenReply({ errorText, hasContent: reply.parts.length > 0 });
    }
  } catch (error) {
    isGone = shown === null && error instanceof ReplyGoneError;
    // The question was refused, so there is nothing to resume.
    if (error instanceof RefusedError && shown !== null && reply.lastEventId === undefined) {
      const { replyId: _refused, ...unnamed } = reply;
      reply = unnamed;
    }
    notice = noticeFor(error, { hasContent: reply.parts.length > 0, isOnline: network.isOnline() });
  }
  // The reply continues and can be resumed later, or another window has written its end.
  const goesOn = signal.reason === "left" && reply.replyId !== undefined;
  if (signal.aborted && (goesOn || signal.reason === "ended-elsewhere")) return { reply, isGone };
  reply = { ...reply, parts: settleTools(reply.parts) };
  const mark = signal.reason === "stopped" && { isStoppedByUser: true };
  if (signal.aborted || isGone) reply = { ...reply, status: "stopped", ...mark };
  else reply = { ...reply, status: notice ? "failed" : "done", notice };
  onChange(reply);
  return { reply, isGone };

  /** The connection on which the reply comes; null if this reply is under way already. */
  async function begin(asked: readonly Message[]): Promise<ReadableStream<Uint8Array> | null> {
    const { messages, isWhole } = toSentMessages(asked);
    const { replyId, model } = reply;
    const asking = askOnce({ path, conversationId, replyId, model, messages }, options);
    const response = await asking.catch(async (error: unknown) => {
      // A closing page's requests are cut off first. It must not store that they failed.
      if (replyId !== undefined && error instanceof TypeError) await sleep(closingMs);
      throw error;
    });
    options.onSent({ isWhole });
    return response.status === 409 ? null : response.body;
  }

  function resume(connecting: AbortSignal): Promise<Response> {
    const { replyId = "", lastEventId = 0 } = reply;
    return resumeReply({ path, conversationId, replyId, lastEventId }, connecting);
  }
}

const closingMs = 500;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const maxWaits = 8;

type Asked = Parameters<typeof askQuestion>[0];

/** The reply, or the 409 that says it is under way already. Anything else is thrown. */
async function askOnce(asked: Asked, options: RunReplyOptions): Promise<Response> {
  const { signal, network, isEnding } = options;
  for (let waits = 0; ; waits += 1) {
    const response = await askQuestion(asked, signal);
    if (response.ok && response.body) return response;
    const underWay = response.status === 409 ? await readUnderWay(response.clone()) : null;
    if (underWay !== null && underWay === asked.replyId) return response;
    const mayWait = underWay !== null && isEnding(underWay) && waits < maxWaits;
    if (!mayWait) throw await readRefusal(response, "asking");
    await pause(backoffMs(1), network, signal);
  }
}

async function readUnderWay(response: Response): Promise<string | null> {
  const body: unknown = await response.json().catch(() => null);
  const { replyId } = (body ?? {}) as { replyId?: unknown };
  return typeof replyId === "string" ? replyId : null;
}

function noticeFor(error: unknown, { hasContent, isOnline }: { hasContent: boolean; isOnline: boolean }) {
  if (error instanceof RefusedError) return error.notice;
  if (hasContent && isOnline) return noticeForBrokenReply({ errorText: null, hasContent });
  return noticeForFailure({ activity: "asking", isOnline });
}
