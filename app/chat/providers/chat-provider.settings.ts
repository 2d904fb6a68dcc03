import { baseUrl, secret, text } from "~/platform/config/kinds";
import { providerAddresses, providerKeys } from "~/platform/providers/provider-families";

/** The providers' keys and addresses. */
export const chatProviderSettings = {
  local: {
    baseUrl: baseUrl(
      "AI_BASE_URL",
      { suchAs: "http://127.0.0.1:11434/v1" },
      "Address of the server for `local`.",
    ),
  },
  openai: {
    apiKey: secret("OPENAI_API_KEY", { family: providerKeys }, "Key for `openai`."),
    baseUrl: baseUrl(
      "OPENAI_BASE_URL",
      { default: "https://api.openai.com/v1", family: providerAddresses },
      "Root of the hosted API, for proxies.",
    ),
  },
  workersAi: {
    // It becomes part of an address.
    accountId: text(
      "CLOUDFLARE_ACCOUNT_ID",
      {
        pattern: {
          matches: /^[A-Za-z0-9_-]{1,64}$/,
          range: "letters and digits, as the provider's dashboard shows it",
        },
      },
      "Account for `workers-ai`.",
    ),
    apiToken: secret("CLOUDFLARE_API_TOKEN", { family: providerKeys }, "Token for `workers-ai`."),
    baseUrl: baseUrl(
      "WORKERS_AI_BASE_URL",
      { family: providerAddresses },
      "Root of the edge inference API, for proxies. Default: the account's own OpenAI-compatible address.",
    ),
  },
};
