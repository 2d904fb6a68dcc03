import type { Caller } from "~/gate/caller.server";
import { toModelList } from "~/chat/chat.schema";
import type { ChatRequest, ModelList } from "~/chat/chat.schema";
import { answerChat } from "~/chat/reply/answer-chat.server";
import type { ChatAnswer, ChatDependencies } from "~/chat/reply/answer-chat.server";
import { chatProviders } from "~/chat/providers/chat-providers.server";
import { instrumentChat } from "~/chat/providers/instrument-chat";
import { createSystemPromptReader } from "~/chat/reply/system-prompt.server";
import type { Config } from "~/settings.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";
import { getProvider } from "~/platform/providers/provider-row";
import type { ProviderPing } from "~/platform/providers/provider-row";
import type { QuotaAdmission } from "~/quota/quota.server";
import { toToolCaller } from "~/tools/tool-caller";
import { mayOfferToModel } from "~/tools/tool";
import type { QuotaServices } from "./quota.server";
import type { ToolServices } from "./tools.server";
import type { Instruments } from "./instrument.server";

export type ChatServices = {
  answer: (call: ChatQuestion) => Promise<ChatAnswer>;
  /** What a client may name. */
  listModels: () => ModelList;
  pingProvider: ProviderPing;
  /** Ends the streams that are open, each with a last event. */
  stop: () => void;
};

export type ChatQuestion = {
  request: ChatRequest;
  /** Null: a stranger. */
  caller: Caller | null;
  clientId: string;
  signal: AbortSignal;
};

type WireChatOptions = {
  config: Config;
  quota: QuotaServices;
  tools: ToolServices;
  metrics: Metrics;
  instruments: Pick<Instruments, "provider" | "tracing">;
  /** Told what each answer came to, whether or not a quota is in force. */
  countTokens: (tokens: number) => void;
  log: Log;
};

export function wireChat({
  config,
  quota,
  tools,
  metrics,
  instruments,
  countTokens,
  log,
}: WireChatOptions): ChatServices {
  const { chat, serving } = config;
  const shutdown = new AbortController();
  const warn = (message: string, error: unknown) => log.warn({ err: error }, message);
  const provider = getProvider(chatProviders, chat.provider);
  function countOutput(count: number): void {
    metrics.countChatTokens({ direction: "out", count });
    countTokens(count);
  }
  const dependencies: Omit<ChatDependencies, "tools"> = {
    provider: instrumentChat(provider.create(chat), instruments.provider, (count) =>
      metrics.countChatTokens({ direction: "in", count }),
    ),
    models: chat.models,
    readSystemPrompt: createSystemPromptReader(chat.systemPrompt, serving.contentDir),
    maxSteps: chat.maxSteps,
    maxDurationMs: chat.maxDurationSeconds * 1000,
    shutdownSignal: shutdown.signal,
    warn,
  };

  return {
    pingProvider: provider.ping(chat),
    stop: () => shutdown.abort(),
    listModels: () => toModelList(chat.models),
    answer: async ({ request, caller, clientId, signal }) => {
      const toolCaller = toToolCaller(caller);
      const { events, headers } = await answerChat(
        {
          request,
          caller: toolCaller,
          clientId,
          signal,
          admitAnswer: async () => countAnswer(await quota.admitAnswer({ caller }), countOutput),
        },
        {
          ...dependencies,
          tools: tools.registry.filter((tool) => mayOfferToModel({ tool, caller: toolCaller })),
        },
      );
      return { events: instruments.tracing?.keep(events) ?? events, headers };
    },
  };
}

function countAnswer(admission: QuotaAdmission, countTokens: (tokens: number) => void): QuotaAdmission {
  const { reservation, ...rest } = admission;
  return {
    ...rest,
    reservation: {
      ...reservation,
      settle: async (usage) => {
        countTokens(usage.usedTokens);
        await reservation.settle(usage);
      },
    },
  };
}
