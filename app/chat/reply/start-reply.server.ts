import type { Clock } from "~/platform/time/clock";
import { jsonResponse } from "~/platform/http/responses.server";
import { Refusal } from "~/platform/refusals/refusal";
import { mayOfferToModel } from "~/tools/tool";
import { findModel, isConversationId as isClientId, readChatRequest } from "../chat.schema";
import type { ChatRequest } from "../chat.schema";
import type { ChatEvent } from "./chat-events";
import { generalFailureMessage, ProviderError } from "../providers/chat-provider";
import { openReply } from "./reply.server";
import type { ReplyOptions } from "./reply.server";
import { ReplyCancelled } from "./reply-run.server";
import type { QuotaReservation } from "./reply-run.server";

export type ChatDependencies = Omit<
  ReplyOptions,
  "model" | "system" | "messages" | "caller" | "signal" | "reservation"
> & {
  models: readonly string[];
  /** Called for each reply, even if no quota applies. */
  countOutput: (tokens: number) => void;
  readSystemPrompt: () => Promise<string>;
};

export type ChatCall = Pick<ReplyOptions, "caller" | "signal"> & {
  request: ChatRequest;
  admitAnswer: () => Promise<{ reservation: QuotaReservation; headers: Record<string, string> }>;
};

export type ChatReply = { events: AsyncIterable<ChatEvent>; headers: Record<string, string> };

/** Model, quota, provider: in this order, so that a refusal costs nothing. */
export async function startReply(call: ChatCall, dependencies: ChatDependencies): Promise<ChatReply> {
  const model = findModel(dependencies.models, call.request);
  if (model === null) throw new Refusal("unknown-model");
  const system = await dependencies.readSystemPrompt();
  try {
    const { reservation, headers } = await call.admitAnswer();
    const { caller, signal } = call;
    const { messages } = call.request;
    const settle: QuotaReservation["settle"] = (usage) => {
      dependencies.countOutput(usage.usedTokens);
      return reservation.settle(usage);
    };
    const counted = { ...reservation, settle };
    const tools = dependencies.tools.filter((tool) => mayOfferToModel(tool, caller));
    const request = { model, system, messages, caller, signal, reservation: counted, tools };
    return { events: await openReply(Object.assign({}, dependencies, request)), headers };
  } catch (cause) {
    // Without quota headers: the reservation is released when a reply fails to open.
    throw toRefusal(cause);
  }
}

export function requireChatRequest(body: unknown, sentBytes: number): ChatRequest {
  const read = readChatRequest(body, sentBytes);
  if (read.ok) return read.request;
  if (read.problem === "missing-messages") throw new Refusal("missing-messages");
  const [first] = read.issues;
  throw new Refusal("invalid-messages", {
    detail: first && `${first.path}: ${first.message}`,
    members: { errors: read.issues },
  });
}

export function requireReplyId(given: string | string[] | undefined): string | undefined {
  if (given === undefined || isClientId(given)) return given;
  throw new Refusal("invalid-reply-id");
}

function toRefusal(cause: unknown): unknown {
  if (cause instanceof ProviderError) {
    const members = { error: cause.message, details: cause.details };
    return new Refusal("provider-failed", { cause, members });
  }
  if (cause instanceof ReplyCancelled) {
    return new Refusal("request-timeout", { detail: "The client left before the answer began.", cause });
  }
  return cause;
}

/** The chat's own error shape. */
export function createChatRefusalResponse(clock: Clock) {
  return function respond({ refusal }: { refusal: Refusal }): Response {
    const { status, headers, title, refusalName, detail } = refusal;
    let { members } = refusal;
    if (refusalName === "too-many-requests") {
      const { remaining, retryAfter } = members as { remaining: number; retryAfter: number };
      members = { remaining, resetAt: new Date(clock() + retryAfter * 1000).toISOString() };
    }
    if (refusalName === "internal-error") members = { error: generalFailureMessage, details: detail };
    return jsonResponse({ status, headers, body: { error: title, ...members } });
  };
}
