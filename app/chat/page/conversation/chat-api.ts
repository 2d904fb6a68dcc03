import { cutText } from "~/platform/well-formed-text";
import { maxMessageChars, maxMessages, maxRequestBytes } from "~/chat/chat-limits";
import { noticeForBrokenAnswer, noticeForFailure, noticeForRefusal } from "../chat-notice";
import type { Activity, ChatNotice } from "../chat-notice";
import { readChatStream } from "./chat-stream";
import { applyEvent, settleTools, textOfReply } from "./conversation";
import type { Message, Reply } from "./conversation";

export class RefusedError extends Error {
  override readonly name = "RefusedError";
  constructor(
    readonly notice: ChatNotice,
    readonly response: Response,
  ) {
    super(notice.title);
  }
}

/** `used`: without what is reserved for answers under way, where that is known. */
export type Quota = { limit: number; used: number; remaining: number; resetAtMs: number | null };
export type SentMessage = { role: "user" | "assistant"; parts: [{ type: "text"; text: string }] };

const quotaTimeoutMs = 15_000;

type RunReplyOptions = {
  path: string;
  reply: Reply;
  /** The conversation up to the question. */
  shown: readonly Message[];
  signal: AbortSignal;
  onStart: (start: { isWhole: boolean }) => void;
  onChange: (reply: Reply) => void;
};

/** Asks, and reports the reply as it grows, up to its end, whichever it is. */
export async function runReply({ path, shown, signal, onStart, onChange, ...options }: RunReplyOptions) {
  let { reply } = options;
  let errorText: string | null = null;
  let notice: ChatNotice | null = null;
  try {
    const { messages, isWhole } = toSentMessages(shown);
    const { model } = reply;
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream, application/json" },
      body: JSON.stringify({ messages, ...(model !== null && { model }) }),
      credentials: "same-origin",
      cache: "no-store",
      signal,
    });
    if (!response.ok || !response.body) throw await readRefusal(response, "asking");
    onStart({ isWhole });
    for await (const event of readChatStream(response.body)) {
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

/** Null where no quota is in force. */
export async function fetchQuota(): Promise<Quota | null> {
  const response = await fetch("/api/quota", {
    credentials: "same-origin",
    cache: "no-store",
    signal: AbortSignal.timeout(quotaTimeoutMs),
  });
  if (!response.ok) throw await readRefusal(response, "asking");
  const { active, limit, used, remaining, resetAt } = (await response.json()) as Record<string, unknown>;
  if (active !== true || typeof limit !== "number" || typeof remaining !== "number") return null;
  const usedTokens = typeof used === "number" ? used : limit - remaining;
  return { limit, used: usedTokens, remaining, resetAtMs: toMoment(resetAt) };
}

export async function readRefusal(response: Response, activity: Activity): Promise<RefusedError> {
  // Something between here and the server may answer in its own way; the status has to do then.
  const body: unknown = await response.json().catch(() => null);
  const { status, headers } = response;
  return new RefusedError(noticeForRefusal({ status, headers, body }, activity), response);
}

function toMoment(text: unknown): number | null {
  const moment = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? null : moment;
}

/** For what stands around the messages in the request. */
const spareBytes = 4 * 1024;

/** The newest messages that fit into one request; `isWhole` is false when older ones had to stay behind. */
export function toSentMessages(shown: readonly Message[]): { messages: SentMessage[]; isWhole: boolean } {
  const encoder = new TextEncoder();
  const messages: SentMessage[] = [];
  let bytes = 0;
  let isWhole = true;
  for (const message of shown.toReversed()) {
    const text = cutText(message.role === "user" ? message.text : textOfReply(message), maxMessageChars);
    if (text.trim() === "") continue;
    const sent: SentMessage = { role: message.role, parts: [{ type: "text", text }] };
    bytes += encoder.encode(JSON.stringify(sent)).length + 1;
    if (messages.length === maxMessages || (messages.length > 0 && bytes > maxRequestBytes - spareBytes)) {
      isWhole = false;
      break;
    }
    messages.push(sent);
  }
  return { messages: messages.reverse(), isWhole };
}
