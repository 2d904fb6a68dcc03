import type { ProviderRow } from "~/platform/providers/provider-row";
import type { ChatProvider } from "./chat-provider";

export type ApiSite = { baseUrl: string | null; apiKey: string | null };

/** The settings that the rows read. */
export type ChatProviderConfig = {
  openai: ApiSite;
  workersAi: { baseUrl: string | null; accountId: string | null; apiToken: string | null };
  local: Pick<ApiSite, "baseUrl">;
  offlineWordMs: number;
};

export type ChatProviderRow = ProviderRow<ChatProviderConfig, ChatProvider> & {
  /** If AI_MODELS is empty. A small one, because first tries should cost little. */
  defaultModel: string;
  /** Warns if AI_MODELS is empty, because the server's models are unknown. */
  isModelUnknown?: boolean;
  /** For embeddings. */
  locate?: (config: ChatProviderConfig) => ApiSite;
  /** Provide embeddings in its place: the first one that is configured. */
  embedders?: readonly ChatProviderRow[];
};
