import { localProvider } from "./local.gateway.server";
import { offlineProvider } from "./offline.server";
import { openaiProvider } from "./openai.gateway.server";
import { workersAiProvider } from "./workers-ai.gateway.server";
import type { ChatProviderRow } from "./chat-provider-row.server";

export const chatProviders: readonly ChatProviderRow[] = [
  offlineProvider,
  openaiProvider,
  workersAiProvider,
  localProvider,
];
