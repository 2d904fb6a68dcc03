import type { Caller } from "~/gate/caller.server";
import { toModelList } from "~/chat/chat.schema";
import type { ChatRequest } from "~/chat/chat.schema";
import { answerChat } from "~/chat/reply/answer-chat.server";
import type { ChatAnswer, ChatDependencies } from "~/chat/reply/answer-chat.server";
import { chatProviders } from "~/chat/providers/chat-providers.server";
import { instrumentChat } from "~/chat/providers/instrument-chat";
import { createSystemPromptReader } from "~/chat/reply/system-prompt.server";
import { getProvider } from "~/platform/providers/provider-row";
import { toToolCaller } from "~/tools/tool";
import type { Foundation } from "./foundation.server";
import type { QuotaServices } from "./quota.server";
import type { ToolServices } from "./tools.server";

export type ChatServices = ReturnType<typeof wireChat>;

export type ChatQuestion = {
  request: ChatRequest;
  /** Null: a stranger. */
  caller: Caller | null;
  clientId: string;
  signal: AbortSignal;
};

export function wireChat(foundation: Foundation, quota: QuotaServices, tools: ToolServices) {
  const { config, metrics, instruments, recording, log } = foundation;
  const { chat, serving } = config;
  const shutdown = new AbortController();
  const provider = getProvider(chatProviders, chat.provider);
  function countOutput(count: number): void {
    metrics.countChatTokens({ direction: "out", count });
    // Whether or not a quota is in force.
    recording.countTokens(count);
  }
  const dependencies: ChatDependencies = {
    tools: tools.registry,
    countOutput,
    provider: instrumentChat(provider.create(chat), instruments.provider, (count) =>
      metrics.countChatTokens({ direction: "in", count }),
    ),
    models: chat.models,
    readSystemPrompt: createSystemPromptReader(chat.systemPrompt, serving.contentDir),
    maxSteps: chat.maxSteps,
    maxDurationMs: chat.maxDurationSeconds * 1000,
    shutdownSignal: shutdown.signal,
    warn: (message, error) => log.warn({ err: error }, message),
  };

  return {
    pingProvider: provider.ping(chat),
    /** Ends the streams that are open, each with a last event. */
    stop: () => shutdown.abort(),
    /** What a client may name. */
    listModels: () => toModelList(chat.models),
    answer: async ({ request, caller, clientId, signal }: ChatQuestion): Promise<ChatAnswer> => {
      const admitAnswer = () => quota.admitAnswer({ caller });
      const call = { request, caller: toToolCaller(caller), clientId, signal, admitAnswer };
      const { events, headers } = await answerChat(call, dependencies);
      return { events: instruments.tracing?.keep(events) ?? events, headers };
    },
  };
}
