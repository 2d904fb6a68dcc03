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

/** `used` excludes what is reserved for replies under way. */
export type Quota = { limit: number; used: number; remaining: number; resetAtMs: number | null };
type SentMessage = { role: "user" | "assistant"; parts: [{ type: "text"; text: string }] };

const quotaTimeoutMs = 15_000;

type Question = {
  path: string;
  conversationId: string;
  /** With a name the server continues the reply without this page. */
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
    signal,
  });
}

type KeptReply = { path: string; conversationId: string; replyId: string; lastEventId: number };

/** The events of a reply after the last one that the page has. */
export function resumeReply({ path, conversationId, replyId, lastEventId }: KeptReply, signal: AbortSignal) {
  const query = new URLSearchParams({ reply: replyId }).toString();
  return fetch(`${path}/${conversationId}/stream?${query}`, {
    headers: {
      Accept: "text/event-stream, application/json",
      ...(lastEventId > 0 && { "Last-Event-ID": String(lastEventId) }),
    },
    cache: "no-store",
    signal,
  });
}

const maxStopAttempts = 5;
const stopTimeoutMs = 10_000;
/** After this time, also offline, the visitor learns that the reply may continue. */
const stopWithinMs = 30_000;

type Stopping = Omit<KeptReply, "lastEventId"> & { network: Network };

/** Stops the reply for all readers, even if its question arrives later. Null, or the reason why it may continue. */
export async function stopReply(stopping: Stopping): Promise<ChatNotice | null> {
  const { path, conversationId, replyId, network } = stopping;
  const timeout = AbortSignal.timeout(stopWithinMs);
  let cause: ChatNotice | null = null;
  for (let failures = 0; failures < maxStopAttempts && !timeout.aborted; failures += 1) {
    await pause(backoffMs(failures), network, timeout).catch(() => undefined);
    const response = await fetch(`${path}/${conversationId}/stop`, {
      method: "POST",
      headers: { "X-Reply-Id": replyId },
      // The page may be closing.
      keepalive: true,
      signal: AbortSignal.timeout(stopTimeoutMs),
    }).catch(() => null);
    // 404: the server no longer keeps replies, so none continues.
    if (response?.ok || response?.status === 404) return null;
    cause = response
      ? (await readRefusal(response, "asking")).notice
      : noticeForFailure({ activity: "asking", isOnline: network.isOnline() });
    if (response && response.status < 500 && response.status !== 429) break;
  }
  return cause && noticeForUnstopped(cause);
}

/** Null if no quota applies. */
export async function fetchQuota(): Promise<Quota | null> {
  const response = await fetch("/api/quota", {
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
  // A proxy may respond without JSON. Then the status has to do.
  const body: unknown = await response.json().catch(() => null);
  const { status, headers } = response;
  return new RefusedError(noticeForRefusal({ status, headers, body }, activity), response);
}

function toMoment(text: unknown): number | null {
  const moment = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(moment) ? null : moment;
}

/** For the rest of the request. */
const spareBytes = 4 * 1024;

/** The newest messages that fit into one request. `isWhole` is false if older ones are omitted. */
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
