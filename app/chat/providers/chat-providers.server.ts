import { localProvider } from "./local.gateway.server";
import { offlineProvider } from "./offline.server";
import { openaiProvider } from "./openai.gateway.server";
import { workersAiProvider } from "./workers-ai.gateway.server";
import type { ChatProviderRow } from "./chat-provider-row.server";

/** The value of AI_PROVIDER that switches the chat off whole. The row is for what else asks a provider: search. */
export const noChat = "disabled";

export const chatProviders: readonly ChatProviderRow[] = [
  offlineProvider,
  openaiProvider,
  workersAiProvider,
  localProvider,
  { ...offlineProvider, name: noChat, summary: "no chat at all" },
];
