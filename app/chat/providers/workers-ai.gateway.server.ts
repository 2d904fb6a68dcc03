import { defineCompletionProvider } from "./completion-provider.gateway.server";

/** Its address holds the account: `https://api.cloudflare.com/client/v4/accounts/<account>/ai/v1`. */
export const workersAiProvider = defineCompletionProvider({
  name: "workers-ai",
  needs: ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN"],
  defaultModel: "@cf/meta/llama-3.1-8b-instruct",
  failureMessage: () => "Edge-inference provider request failed",
  maxTokensField: "max_tokens",
  locate: ({ workersAi: { baseUrl, apiToken } }) => ({ baseUrl, apiKey: apiToken }),
});
