import { cutText } from "~/platform/text/well-formed-text";
import { maxMessageChars, maxMessages, maxRequestBytes } from "~/chat/chat-limits";
import { noticeForFailure, noticeForRefusal, noticeForUnstopped } from "../chat-notice";
import type { Activity, ChatNotice } from "../chat-notice";
import { textOfReply } from "./conversation";
import type { Message } from "./conversation";
import { backoffMs, pause } from "./network";
import type { Network } from "./network";

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

type Question = {
  path: string;
  conversationId: string;
  /** Names the answer, if the server keeps answers: then it goes on without this page. */
  replyId: string | undefined;
  model: string | null;
  messages: SentMessage[];
};

export function askQuestion(
  { path, conversationId, replyId, model, messages }: Question,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "text/event-stream, application/json",
      ...(replyId !== undefined && { "X-Chat-Resumable": "1", "X-Reply-Id": replyId }),
    },
    body: JSON.stringify({ id: conversationId, messages, ...(model !== null && { model }) }),
    credentials: "same-origin",
    cache: "no-store",
    signal,
  });
}

type KeptReply = { path: string; conversationId: string; replyId: string; lastEventId: number };

/** The rest of an answer, from after the last event that the page has. */
export function takeUpReply({ path, conversationId, replyId, lastEventId }: KeptReply, signal: AbortSignal) {
  const query = new URLSearchParams({ reply: replyId }).toString();
  return fetch(`${path}/${conversationId}/stream?${query}`, {
    headers: {
      Accept: "text/event-stream, application/json",
      ...(lastEventId > 0 && { "Last-Event-ID": String(lastEventId) }),
    },
    credentials: "same-origin",
    cache: "no-store",
    signal,
  });
}

const maxStopAttempts = 5;
const stopTimeoutMs = 10_000;
/** Without a connection too, somebody learns by then that the answer may go on. */
const stopWithinMs = 30_000;

type Stopping = Omit<KeptReply, "lastEventId"> & { network: Network };

/** Stops the answer wherever it is read, even if its question arrives later. Null, or why it may go on. */
export async function stopReply(stopping: Stopping): Promise<ChatNotice | null> {
  const { path, conversationId, replyId, network } = stopping;
  const timeIsOver = AbortSignal.timeout(stopWithinMs);
  let cause: ChatNotice | null = null;
  for (let failures = 0; failures < maxStopAttempts && !timeIsOver.aborted; failures += 1) {
    await pause(backoffMs(failures), network, timeIsOver).catch(() => undefined);
    const response = await fetch(`${path}/${conversationId}/stop`, {
      method: "POST",
      headers: { "X-Reply-Id": replyId },
      credentials: "same-origin",
      // The page may be on its way out.
      keepalive: true,
      signal: AbortSignal.timeout(stopTimeoutMs),
    }).catch(() => null);
    // 404: the server keeps no answers any more, and none goes on.
    if (response?.ok || response?.status === 404) return null;
    cause = response
      ? (await readRefusal(response, "stopping")).notice
      : noticeForFailure({ activity: "stopping", isOnline: network.isOnline() });
    if (response && response.status < 500 && response.status !== 429) break;
  }
  return cause && noticeForUnstopped(cause);
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
