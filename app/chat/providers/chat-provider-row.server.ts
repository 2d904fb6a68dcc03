import type { ChatConfig } from "~/chat/chat.settings";
import type { ProviderRow } from "~/platform/providers/provider-row";
import type { ChatProvider } from "./chat-provider";

/** Where an API of OpenAI's shape is, and the key it wants. */
export type ApiSite = { baseUrl: string | null; apiKey: string | null };

export type ChatProviderRow = ProviderRow<ChatConfig, ChatProvider> & {
  /** Where AI_MODELS names none: a small one, so that a first try costs little. */
  defaultModel: string;
  /** Asked for embeddings too. */
  locate?: (config: ChatConfig) => ApiSite;
};
