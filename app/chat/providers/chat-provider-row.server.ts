import type { ProviderRow } from "~/platform/providers/provider-row";
import type { ChatProvider } from "./chat-provider";

/** Where an API of OpenAI's shape is, and the key it wants. */
export type ApiSite = { baseUrl: string | null; apiKey: string | null };

/** What the rows read of the chat's settings, which are made from them. */
export type ChatProviderConfig = {
  openai: ApiSite;
  workersAi: { baseUrl: string | null; accountId: string | null; apiToken: string | null };
  local: Pick<ApiSite, "baseUrl">;
  offlineWordMs: number;
};

export type ChatProviderRow = ProviderRow<ChatProviderConfig, ChatProvider> & {
  /** Where AI_MODELS names none: a small one, so that a first try costs little. */
  defaultModel: string;
  /** Nobody knows which models it has: who names none is warned. */
  isModelUnknown?: boolean;
  /** Asked for embeddings too. */
  locate?: (config: ChatProviderConfig) => ApiSite;
  /** Asked for embeddings in its place: the first that has what it needs. */
  embedders?: readonly ChatProviderRow[];
};
