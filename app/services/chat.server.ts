import { answerChat } from "~/chat/answer-chat.server";
import type { ChatAnswer, ChatDependencies } from "~/chat/answer-chat.server";
import { maxRequestBytes } from "~/chat/chat-limits";
import type { ChatProvider } from "~/chat/providers/chat-provider";
import { createLocalProvider } from "~/chat/providers/local.gateway.server";
import { createOfflineProvider } from "~/chat/providers/offline.server";
import { createHostedProvider } from "~/chat/providers/openai.gateway.server";
import { createEdgeProvider } from "~/chat/providers/workers-ai.gateway.server";
import { watchChatProvider } from "~/chat/providers/watched-provider";
import { createSystemPromptReader } from "~/chat/system-prompt.server";
import { monotonicClock } from "~/platform/clock";
import type { Config } from "~/platform/config/config.server";
import { readJsonBodyPlainly } from "~/platform/http/json-body.server";
import { requireWithinLimit } from "~/platform/http/limit.server";
import type { RequestContext } from "~/platform/http/request-context.server";
import type { Log } from "~/platform/log.server";
import type { Metrics } from "~/platform/metrics.server";
import { bearerHeaders, createProviderPing } from "~/platform/providers/provider-ping.gateway.server";
import type { QuotaAdmission } from "~/quota/quota.server";
import { toToolCaller } from "~/tools/tool-caller";
import { mayOfferToModel } from "~/tools/tool";
import type { GateServices } from "./gate.server";
import type { QuotaServices } from "./quota.server";
import type { ToolServices } from "./tools.server";
import type { Watch } from "./watch.server";

export type ChatServices = {
  answer: (call: { context: RequestContext }) => Promise<ChatAnswer>;
  /** Null when the provider is there, else what is wrong with it, in a sentence. */
  pingProvider: () => Promise<string | null>;
  /** Ends the streams that are open, each with a last event. */
  stop: () => void;
};

export function wireChat({
  config,
  gate,
  quota,
  tools,
  metrics,
  watch,
  countTokens,
  log,
}: {
  config: Config;
  gate: GateServices;
  quota: QuotaServices;
  tools: ToolServices;
  metrics: Metrics;
  watch: Pick<Watch, "provider" | "tracing">;
  /** Told what each answer came to, whether or not a quota is in force. */
  countTokens: (tokens: number) => void;
  log: Log;
}): ChatServices {
  const { conversation, serving } = config;
  const shutdown = new AbortController();
  const warn = (message: string, error: unknown) => log.warn({ err: error }, message);
  const { provider, ping } = chooseProvider(config);
  function countOutput(count: number): void {
    metrics.countChatTokens({ direction: "out", count });
    countTokens(count);
  }
  const dependencies: Omit<ChatDependencies, "tools"> = {
    provider: watchChatProvider({
      ...{ provider, watch: watch.provider },
      countInput: (count) => metrics.countChatTokens({ direction: "in", count }),
    }),
    models: conversation.models,
    readSystemPrompt: createSystemPromptReader({
      setting: conversation.systemPrompt,
      contentDir: serving.contentDir,
    }),
    maxSteps: conversation.maxSteps,
    maxDurationMs: conversation.maxDurationSeconds * 1000,
    shutdownSignal: shutdown.signal,
    warn,
  };

  return {
    pingProvider: ping,
    stop: () => shutdown.abort(),
    answer: async ({ context }) => {
      const body = await readJsonBodyPlainly({ context, maxBytes: maxRequestBytes });
      const caller = await gate.authenticateCaller({
        context,
        body,
        requiredScope: "chat",
        isRequired: conversation.requiresJwt,
      });
      const toolCaller = toToolCaller(caller);
      const { events, headers } = await answerChat({
        dependencies: {
          ...dependencies,
          tools: tools.registry.filter((tool) => mayOfferToModel({ tool, caller: toolCaller })),
        },
        call: {
          body,
          caller: toolCaller,
          signal: context.signal,
          requireWithinLimit: () => requireWithinLimit({ context, name: "chat" }),
          admitAnswer: async () =>
            countAnswer({ admission: await quota.admitAnswer({ caller }), countTokens: countOutput }),
        },
      });
      return { events: watch.tracing?.keep(events) ?? events, headers };
    },
  };
}

function countAnswer({
  admission,
  countTokens,
}: {
  admission: QuotaAdmission;
  countTokens: (tokens: number) => void;
}): QuotaAdmission {
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

/** Settings that a provider needs have been checked by the configuration: what is missing here cannot be. */
function chooseProvider({ conversation }: Config): {
  provider: ChatProvider;
  ping: ChatServices["pingProvider"];
} {
  const { openai, workersAi, local } = conversation;
  const pingAt = ({ baseUrl, apiKey }: { baseUrl: string; apiKey: string | null }) =>
    createProviderPing({
      ...{ what: "model provider", baseUrl, clock: monotonicClock },
      headers: bearerHeaders(apiKey),
    });
  switch (conversation.provider) {
    case "openai": {
      const place = { baseUrl: openai.baseUrl ?? "", apiKey: openai.apiKey ?? "" };
      return { provider: createHostedProvider(place), ping: pingAt(place) };
    }
    case "workers-ai": {
      const baseUrl = workersAi.baseUrl ?? "";
      const apiToken = workersAi.apiToken ?? "";
      return {
        provider: createEdgeProvider({ baseUrl, apiToken }),
        // It need not have a list of models there: what counts is that it answers, and does not refuse the token.
        ping: pingAt({ baseUrl, apiKey: apiToken }),
      };
    }
    case "local": {
      const baseUrl = local.baseUrl ?? "";
      return {
        provider: createLocalProvider({ baseUrl }),
        ping: pingAt({ baseUrl, apiKey: null }),
      };
    }
    case "offline":
      // Part of this very process.
      return {
        provider: createOfflineProvider({ wordDelayMs: conversation.offlineWordMs }),
        ping: async () => null,
      };
  }
}
