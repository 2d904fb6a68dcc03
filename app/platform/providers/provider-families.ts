import type { Family } from "~/platform/config/setting";

export const providerKeys: Family = {
  name: "<PROVIDER>_API_KEY",
  text: "The chosen provider's key; TTS_API_KEY for a `local` voice that wants one.",
};

export const providerAddresses: Family = {
  name: "<PROVIDER>_BASE_URL",
  text: "Replaces the provider's own address, for a proxy or a private endpoint. Cloudflare's has the account in it; Pinecone's is that of the index.",
};
