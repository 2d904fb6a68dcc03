import type { ChatProvider } from "./chat-provider";
import { createCompletionProvider } from "./openai-stream.gateway.server";
import type { CompletionTimes } from "./openai-stream.gateway.server";

/**
 * Edge inference. `baseUrl` is the root of the OpenAI-compatible API, the account included, such as
 * `https://api.cloudflare.com/client/v4/accounts/<account>/ai/v1`.
 */
export function createEdgeProvider({
  baseUrl,
  apiToken,
  times,
}: {
  baseUrl: string;
  apiToken: string;
  times?: Partial<CompletionTimes>;
}): ChatProvider {
  return createCompletionProvider({
    name: "edge",
    failureMessage: "Edge-inference provider request failed",
    baseUrl,
    apiKey: apiToken,
    maxTokensField: "max_tokens",
    times,
  });
}
