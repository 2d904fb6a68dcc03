import type { ValuesOf } from "~/platform/config/setting";
import type { ApiKey } from "~/platform/providers/provider-ping.gateway.server";
import type { ProviderRow } from "~/platform/providers/provider-row";
import type { ChatProvider } from "./chat-provider";
import type { chatProviderSettings } from "./chat-provider.settings";

export type ApiSite = ApiKey & { baseUrl: string | null };

/** The settings that the rows read. */
export type ChatProviderConfig = ValuesOf<typeof chatProviderSettings> & { offlineWordMs: number };

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
