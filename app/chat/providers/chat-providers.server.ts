import { localProvider } from "./local.gateway.server";
import { offlineProvider } from "./offline.server";
import { openaiProvider } from "./openai.gateway.server";
import { workersAiProvider } from "./workers-ai.gateway.server";
import type { ChatProviderRow } from "./chat-provider-row.server";

/** Switches the chat off. Its row is for search, which asks the provider for embeddings. */
export const noChat = "disabled";

export const chatProviders: readonly ChatProviderRow[] = [
  offlineProvider,
  openaiProvider,
  workersAiProvider,
  localProvider,
  { ...offlineProvider, name: noChat, summary: "no chat at all" },
];
