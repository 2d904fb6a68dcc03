import type { ChatProvider } from "./chat-provider";
import { createCompletionProvider } from "./openai-stream.gateway.server";
import type { CompletionTimes } from "./openai-stream.gateway.server";

/** The hosted provider. `baseUrl` is the API's root, such as `https://api.openai.com/v1`. */
export function createHostedProvider({
  baseUrl,
  apiKey,
  times,
}: {
  baseUrl: string;
  apiKey: string;
  times?: Partial<CompletionTimes>;
}): ChatProvider {
  return createCompletionProvider({
    name: "hosted",
    failureMessage: "Hosted-provider request failed",
    baseUrl,
    apiKey,
    maxTokensField: "max_completion_tokens",
    times,
  });
}
