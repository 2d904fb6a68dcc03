import type { ChatProvider } from "./chat-provider";
import { createCompletionProvider } from "./openai-stream.gateway.server";
import type { CompletionTimes } from "./openai-stream.gateway.server";
import { toShownAddress } from "~/platform/providers/provider-words";

/** A server of the operator's own that speaks the same protocol, at an address ending in `/v1`. */
export function createLocalProvider({
  baseUrl,
  apiKey,
  times,
}: {
  baseUrl: string;
  apiKey?: string;
  times?: Partial<CompletionTimes>;
}): ChatProvider {
  return createCompletionProvider({
    name: "local",
    failureMessage: `Local server connection failed: ${toShownAddress(baseUrl)}`,
    baseUrl,
    apiKey,
    maxTokensField: "max_tokens",
    times,
  });
}
