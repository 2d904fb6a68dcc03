import type { Clock } from "~/platform/clock";
import { answerJson } from "~/platform/http/answer.server";
import type { Answer } from "~/platform/http/answer.server";
import { Refusal } from "~/platform/http/refusal";
import { findModel, normalizeMessages, readChatRequest } from "./chat.schema";
import type { ChatEvent } from "./chat-events";
import type { Tool, ToolCaller } from "~/tools/tool";
import { generalFailureMessage, ProviderError } from "./providers/chat-provider";
import type { ChatProvider } from "./providers/chat-provider";
import { openReply, ReplyCancelled } from "./reply.server";
import type { QuotaReservation } from "./reply-run.server";

export type ChatDependencies = {
  provider: ChatProvider;
  models: readonly string[];
  readSystemPrompt: () => Promise<string>;
  tools: readonly Tool[];
  maxSteps: number;
  maxDurationMs: number;
  shutdownSignal: AbortSignal;
  warn: (message: string, error: unknown) => void;
};

export type ChatCall = {
  body: unknown;
  caller: ToolCaller;
  signal: AbortSignal;
  /** Asked once the request has its shape and before anything is spent. */
  requireWithinLimit: () => Promise<Record<string, string>>;
  admitAnswer: () => Promise<{ reservation: QuotaReservation; headers: Record<string, string> }>;
};

export type ChatAnswer = { events: AsyncIterable<ChatEvent>; headers: Record<string, string> };

/** Shape, limit, quota, provider: in this order, so that what is refused has cost nothing. */
export async function answerChat({
  call,
  dependencies,
}: {
  call: ChatCall;
  dependencies: ChatDependencies;
}): Promise<ChatAnswer> {
  const { messages, model } = requireRequest({ body: call.body, models: dependencies.models });
  const limitHeaders = await call.requireWithinLimit();
  const system = await dependencies.readSystemPrompt();
  try {
    const { reservation, headers: quotaHeaders } = await call.admitAnswer();
    const { caller, signal } = call;
    const events = await openReply({ ...dependencies, model, system, messages, caller, reservation, signal });
    return { events, headers: { ...limitHeaders, ...quotaHeaders } };
  } catch (cause) {
    // Without the admission's figures: what it set aside has been given back when an answer fails to open.
    throw toRefusal({ cause, headers: limitHeaders });
  }
}

function requireRequest({ body, models }: { body: unknown; models: readonly string[] }) {
  const read = readChatRequest(body);
  if (!read.ok) {
    if (read.problem === "missing-messages") throw new Refusal("missing-messages");
    const [first] = read.issues;
    throw new Refusal("invalid-messages", {
      detail: first && `${first.path}: ${first.message}`,
      members: { errors: read.issues },
    });
  }
  const model = findModel({ models, model: read.request.model, modelIndex: read.request.modelIndex });
  if (model === null) throw new Refusal("unknown-model");
  return { messages: normalizeMessages(read.request.messages), model };
}

function toRefusal({ cause, headers }: { cause: unknown; headers: Record<string, string> }): unknown {
  if (cause instanceof ProviderError) {
    return new Refusal("provider-failed", {
      cause,
      headers,
      members: { error: cause.message, details: cause.details },
    });
  }
  if (cause instanceof ReplyCancelled) {
    return new Refusal("request-timeout", { detail: "The client left before the answer began.", cause });
  }
  if (cause instanceof Refusal) {
    const { refusalName, detail, members } = cause;
    return new Refusal(refusalName, { detail, members, cause, headers: { ...headers, ...cause.headers } });
  }
  return cause;
}

/**
 * The chat's own error shape: `{error}`, with what a client needs to come back at the right time. `details` is for
 * failures of the answer itself and nothing else.
 */
export function createChatRefusalAnswer({ clock }: { clock: Clock }) {
  return function answerChatRefusal({ refusal }: { refusal: Refusal }): Answer {
    const { status, headers, title } = refusal;
    return answerJson({ status, headers, body: { error: title, ...membersOf({ refusal, clock }) } });
  };
}

function membersOf({ refusal, clock }: { refusal: Refusal; clock: Clock }): Record<string, unknown> {
  switch (refusal.refusalName) {
    case "too-many-requests": {
      const { remaining, retryAfter } = refusal.members as { remaining: number; retryAfter: number };
      return { remaining, resetAt: new Date(clock() + retryAfter * 1000).toISOString() };
    }
    case "internal-error":
      return { error: generalFailureMessage, details: refusal.detail };
    default:
      return refusal.members;
  }
}
