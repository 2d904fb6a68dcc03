import { noticeForBrokenAnswer, noticeForFailure } from "../chat-notice";
import type { ChatNotice } from "../chat-notice";
import { askQuestion, readRefusal, RefusedError, takeUpReply, toSentMessages } from "./chat-api";
import { settleTools, takeEvent } from "./conversation";
import type { Message, Reply } from "./conversation";
import { backoffMs, pause } from "./network";
import type { Network } from "./network";
import { ReplyGoneError, readReplyStream } from "./reply-stream";

/** Why a page ceases to read an answer before its end. */
export type LeavingReason = "stopped" | "left" | "ended-elsewhere";

/** Another answer is under way: it is about to stop, or it is not. */
export type UnderWay = "wait" | "refuse";

export type RunReplyOptions = {
  path: string;
  conversationId: string;
  /** With its name, if the server goes on with answers that nobody reads. */
  reply: Reply;
  /** The conversation up to the question; null to take up the answer that is under way. */
  shown: readonly Message[] | null;
  /** Aborted with a `LeavingReason`. */
  signal: AbortSignal;
  network: Network;
  judgeUnderWay: (replyId: string) => Promise<UnderWay>;
  /** The server has begun the answer. */
  onStart: (reply: Reply) => void;
  onSent: (sent: { isWhole: boolean }) => void;
  onLost: (isLost: boolean) => void;
  onChange: (reply: Reply) => void;
};

/** `isGone`: taken up in vain. */
type ReplyRun = { reply: Reply; isGone: boolean };

/** Asks or takes up, and reports the reply as it grows, up to its end, whichever it is. */
export async function runReply(options: RunReplyOptions): Promise<ReplyRun> {
  const { path, conversationId, shown, signal, network, onLost, onChange } = options;
  let { reply } = options;
  let errorText: string | null = null;
  let notice: ChatNotice | null = null;
  let isGone = false;
  try {
    const body = shown && (await begin(shown));
    const isKept = reply.replyId !== undefined;
    const toRefusal = (response: Response) => readRefusal(response, "asking");
    const connection = { body, reopen: isKept ? takeUp : null, readRefusal: toRefusal };
    for await (const streamed of readReplyStream({ ...connection, signal, network, onLost })) {
      if (signal.aborted) break;
      if (streamed.event?.type === "error") ({ errorText } = streamed.event);
      reply = takeEvent(reply, streamed, Date.now());
      onChange(reply);
    }
    // Without its last event the answer was cut off, however complete it may look.
    if (errorText !== null || reply.finishReason === null || reply.finishReason === "error") {
      notice = noticeForBrokenAnswer({ errorText, hasContent: reply.parts.length > 0 });
    }
  } catch (error) {
    isGone = shown === null && error instanceof ReplyGoneError;
    // Refused: there is nothing to come back to.
    if (error instanceof RefusedError && reply.lastEventId === undefined) {
      const { replyId: _refused, ...unnamed } = reply;
      reply = unnamed;
    }
    notice = noticeFor(error, { hasContent: reply.parts.length > 0, isOnline: network.isOnline() });
  }
  // It goes on, and is taken up when the page comes back; or another window has written how it ended.
  const isLeft = signal.aborted && (signal.reason === "ended-elsewhere" || goesOn());
  if (isLeft) return { reply, isGone };
  reply = { ...reply, parts: settleTools(reply.parts) };
  const mark = signal.reason === "stopped" && { isStoppedByUser: true };
  if (signal.aborted || isGone) reply = { ...reply, status: "stopped", ...mark };
  else reply = { ...reply, status: notice ? "failed" : "done", notice };
  onChange(reply);
  return { reply, isGone };

  function goesOn(): boolean {
    return signal.reason === "left" && reply.replyId !== undefined;
  }

  /** The connection on which the answer comes; null where it is one that was under way already. */
  async function begin(asked: readonly Message[]): Promise<ReadableStream<Uint8Array> | null> {
    const { messages, isWhole } = toSentMessages(asked);
    const { replyId, model } = reply;
    const asking = askOnce({ path, conversationId, replyId, model, messages }, options);
    const response = await asking.catch(async (error: unknown) => {
      // A page that closes has its requests cut off first: then it must not write down that they failed.
      if (replyId !== undefined && error instanceof TypeError) await sleep(closingMs);
      throw error;
    });
    options.onSent({ isWhole });
    reply = { ...reply, lastEventId: 0 };
    options.onStart(reply);
    return response.status === 409 ? null : response.body;
  }

  function takeUp(connecting: AbortSignal): Promise<Response> {
    const { replyId = "", lastEventId = 0 } = reply;
    return takeUpReply({ path, conversationId, replyId, lastEventId }, connecting);
  }
}

const closingMs = 500;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const maxWaits = 8;

type Asked = Parameters<typeof askQuestion>[0];

/** The answer, or the 409 that says it is under way already. Anything else is thrown. */
async function askOnce(asked: Asked, options: RunReplyOptions): Promise<Response> {
  const { signal, network, judgeUnderWay } = options;
  for (let waits = 0; ; waits += 1) {
    const response = await askQuestion(asked, signal);
    if (response.ok && response.body) return response;
    const underWay = response.status === 409 ? await readUnderWay(response.clone()) : null;
    if (underWay !== null && underWay === asked.replyId) return response;
    const judgement = underWay === null ? "refuse" : await judgeUnderWay(underWay);
    if (judgement === "refuse" || waits === maxWaits) throw await readRefusal(response, "asking");
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
  if (hasContent && isOnline) return noticeForBrokenAnswer({ errorText: null, hasContent });
  return noticeForFailure({ activity: "asking", isOnline });
}
