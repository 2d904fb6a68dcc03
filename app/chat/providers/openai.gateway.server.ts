import { defineCompletionProvider } from "./completion-provider.gateway.server";

export const openaiProvider = defineCompletionProvider({
  name: "openai",
  summary: "hosted",
  isPaid: true,
  needs: ["OPENAI_API_KEY"],
  defaultModel: "gpt-4o-mini",
  failureMessage: () => "Hosted-provider request failed",
  maxTokensField: "max_completion_tokens",
  locate: ({ openai }) => openai,
});
