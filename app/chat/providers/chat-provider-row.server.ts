import type { ChatConfig } from "~/chat/chat.settings";
import type { ProviderRow } from "~/platform/providers/provider-row";
import type { ChatProvider } from "./chat-provider";

export type ChatProviderRow = ProviderRow<ChatConfig, ChatProvider>;
