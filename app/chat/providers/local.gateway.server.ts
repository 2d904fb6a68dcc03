import { toShownAddress } from "~/platform/providers/provider-words";
import { defineCompletionProvider } from "./completion-provider.gateway.server";

/** A server of the operator's own. */
export const localProvider = defineCompletionProvider({
  name: "local",
  needs: ["AI_BASE_URL"],
  // Servers with one model ignore the name.
  defaultModel: "default",
  failureMessage: (baseUrl) => `Local server connection failed: ${toShownAddress(baseUrl)}`,
  maxTokensField: "max_tokens",
  locate: ({ local: { baseUrl } }) => ({ baseUrl, apiKey: null }),
});
