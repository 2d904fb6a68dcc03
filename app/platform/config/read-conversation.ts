import { readApiPath } from "./api-path";
import { refuseDemoSecret } from "./demo-secret";
import { minSecretChars, requireStrongSecret } from "./secret-strength";
import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

export const chatProviders = ["offline", "openai", "workers-ai", "local"] as const;
export type ChatProviderName = (typeof chatProviders)[number];

/** Small models, so that a first try costs little. Local servers with one model ignore the name. */
const defaultModels = {
  offline: "offline",
  openai: "gpt-4o-mini",
  "workers-ai": "@cf/meta/llama-3.1-8b-instruct",
  local: "default",
} as const satisfies Record<ChatProviderName, string>;

/** One token more than a 32-bit column could hold must stay out of reach, several answers included. */
const maxTokens = 1_000_000_000;
const maxAnswerTokens = 1_000_000;

type Mode = "production" | "development" | "demo";

export function readConversation({ reader, mode }: { reader: SettingReader; mode: Mode }) {
  const provider = readProvider(reader);
  return {
    requiresJwt: reader.getBoolean("NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT"),
    apiPath: readApiPath({ reader, name: "NEXT_PUBLIC_AI_CHAT_API_PATH", ownPath: "/api/chat" }),
    ...provider,
    systemPrompt: reader.findText("AI_SYSTEM_PROMPT"),
    maxOutputTokens: reader.getInteger({ name: "AI_CHAT_MAX_OUTPUT_TOKENS", min: 1, max: maxAnswerTokens }),
    maxDurationSeconds: reader.getInteger({ name: "AI_CHAT_MAX_DURATION", min: 1, max: 3600 }),
    maxSteps: reader.getInteger({ name: "AI_CHAT_MAX_STEPS", min: 1, max: 50 }),
    offlineWordMs: reader.getInteger({ name: "AI_OFFLINE_WORD_MS", min: 0, max: 1000 }),
    quota: {
      enabled: reader.getBoolean("AI_CHAT_QUOTA_ENABLED"),
      tokens: reader.getInteger({ name: "AI_CHAT_QUOTA_TOKENS", min: 1, max: maxTokens }),
      windowSeconds: reader.getInteger({ name: "AI_CHAT_QUOTA_WINDOW_SEC", min: 1, max: 31_536_000 }),
      resetSecret: readResetSecret({ reader, mode }),
    },
  };
}

function readProvider(reader: SettingReader) {
  const provider = reader.getChoice({ name: "AI_PROVIDER", choices: chatProviders });
  const openai = {
    apiKey: reader.findText("OPENAI_API_KEY"),
    baseUrl: findBaseUrl({ reader, name: "OPENAI_BASE_URL" }),
  };
  const accountId = findAccountId(reader);
  const workersAi = {
    accountId,
    apiToken: reader.findText("CLOUDFLARE_API_TOKEN"),
    baseUrl:
      findBaseUrl({ reader, name: "WORKERS_AI_BASE_URL" }) ??
      (accountId && `https://api.cloudflare.com/client/v4/accounts/${accountId}/ai/v1`),
  };
  const local = { baseUrl: findBaseUrl({ reader, name: "AI_BASE_URL" }) };
  if (local.baseUrl !== null && !local.baseUrl.endsWith("/v1")) {
    reader.report("AI_BASE_URL", "must end in /v1, such as http://127.0.0.1:11434/v1.");
  }
  const needed = {
    offline: [],
    openai: ["OPENAI_API_KEY"],
    "workers-ai": ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN"],
    local: ["AI_BASE_URL"],
  } as const satisfies Record<ChatProviderName, readonly SettingName[]>;
  for (const name of needed[provider]) {
    if (!reader.isSet(name)) reader.report(name, `must be set when AI_PROVIDER is ${provider}.`);
  }
  const models = [...new Set(reader.getList("AI_MODELS"))];
  if (models.length === 0 && provider === "local") {
    reader.warnings.push("AI_MODELS is not set: the local server is asked for a model called `default`.");
  }
  return {
    provider,
    models: models.length > 0 ? models : [defaultModels[provider]],
    openai,
    workersAi,
    local,
  };
}

/** Without slashes at its end. Refuses what would put a password into error messages and logs. */
export function findBaseUrl({ reader, name }: { reader: SettingReader; name: SettingName }): string | null {
  const text = reader.findUrl({ name, protocols: ["https:", "http:"] });
  if (text === null) return null;
  const url = new URL(text);
  if (url.username || url.password || url.search || url.hash) {
    reader.report(name, "must be a plain address, without user name, query or fragment.");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** The id becomes part of an address. */
function findAccountId(reader: SettingReader): string | null {
  const text = reader.findText("CLOUDFLARE_ACCOUNT_ID");
  if (text !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(text)) {
    reader.report(
      "CLOUDFLARE_ACCOUNT_ID",
      "must be letters and digits, as the provider's dashboard shows it.",
    );
  }
  return text;
}

function readResetSecret({ reader, mode }: { reader: SettingReader; mode: Mode }): string | null {
  const name = "AI_QUOTA_RESET_SECRET";
  refuseDemoSecret({ reader, mode, name });
  requireStrongSecret({ reader, mode, name, minChars: minSecretChars });
  return reader.findText(name);
}
