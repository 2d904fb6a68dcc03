import { toShownAddress } from "~/platform/providers/provider-message";
import { defineCompletionProvider } from "./completion-provider.gateway.server";

export const localProvider = defineCompletionProvider({
  name: "local",
  summary: "an OpenAI-compatible server",
  needs: ["AI_BASE_URL"],
  // Servers with one model ignore the name.
  defaultModel: "default",
  isModelUnknown: true,
  failureMessage: (baseUrl) => `Local server connection failed: ${toShownAddress(baseUrl)}`,
  maxTokensField: "max_tokens",
  locate: ({ local: { baseUrl } }) => ({ baseUrl, apiKey: null }),
});
