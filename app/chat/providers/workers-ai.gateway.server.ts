import { defineCompletionProvider } from "./completion-provider.gateway.server";

export const workersAiProvider = defineCompletionProvider({
  name: "workers-ai",
  summary: "edge inference",
  isPaid: true,
  needs: ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN"],
  defaultModel: "@cf/meta/llama-3.1-8b-instruct",
  failureMessage: () => "Edge-inference provider request failed",
  maxTokensField: "max_tokens",
  locate: ({ workersAi: { baseUrl, accountId, apiToken } }) => ({
    baseUrl: baseUrl ?? (accountId && `https://api.cloudflare.com/client/v4/accounts/${accountId}/ai/v1`),
    apiKey: apiToken,
  }),
});
