import type { Setting } from "./setting";

/** The part of the list of settings that is about chat and its quota. */
export const conversationSettings = [
  {
    name: "NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT",
    group: "Conversation",
    default: "false",
    effect:
      "Chat, speech and tools only with an access token. The quota needs it: without, nobody is counted.",
  },
  {
    name: "NEXT_PUBLIC_AI_CHAT_API_PATH",
    group: "Conversation",
    default: "/api/chat",
    effect: "Path of the chat; none that something else of the service has.",
  },
  {
    name: "AI_PROVIDER",
    group: "Conversation",
    default: "offline",
    effect:
      "Who answers: `offline` (embedded, quotes the operator's own documents), `openai` (hosted), `workers-ai` (edge inference) or `local` (an OpenAI-compatible server).",
  },
  {
    name: "AI_MODELS",
    group: "Conversation",
    effect:
      "Comma-separated models a client may choose from; the first one is the default. Default: one small model of the provider.",
  },
  {
    name: "AI_BASE_URL",
    group: "Conversation",
    effect: "Address of the server for `local`, ending in /v1, such as http://127.0.0.1:11434/v1.",
  },
  {
    name: "AI_SYSTEM_PROMPT",
    group: "Conversation",
    effect:
      "What the model is told before each conversation. Default: system-prompt.md in the content folder.",
  },
  {
    name: "OPENAI_API_KEY",
    group: "Conversation",
    secret: true,
    effect: "Key for `openai`.",
  },
  {
    name: "OPENAI_BASE_URL",
    group: "Conversation",
    default: "https://api.openai.com/v1",
    effect: "Root of the hosted API, for proxies.",
  },
  { name: "CLOUDFLARE_ACCOUNT_ID", group: "Conversation", effect: "Account for `workers-ai`." },
  {
    name: "CLOUDFLARE_API_TOKEN",
    group: "Conversation",
    secret: true,
    effect: "Token for `workers-ai`.",
  },
  {
    name: "WORKERS_AI_BASE_URL",
    group: "Conversation",
    effect:
      "Root of the edge inference API, for proxies. Default: the account's own OpenAI-compatible address.",
  },
  {
    name: "AI_CHAT_MAX_OUTPUT_TOKENS",
    group: "Conversation",
    default: "2000",
    effect: "Longest answer, in estimated tokens (four characters each).",
  },
  {
    name: "AI_CHAT_MAX_DURATION",
    group: "Conversation",
    default: "30",
    effect: "Longest time an answer may take, in seconds.",
  },
  {
    name: "AI_CHAT_MAX_STEPS",
    group: "Conversation",
    default: "5",
    effect: "How many rounds of tool calls one answer may take.",
  },
  {
    name: "AI_OFFLINE_WORD_MS",
    group: "Conversation",
    default: "30",
    effect: "Pace of the embedded assistant in milliseconds a word; 0 sends everything at once.",
  },
  {
    name: "AI_CHAT_QUOTA_ENABLED",
    group: "Conversation",
    default: "true",
    effect:
      "Limits what each key may have answered. In force only while chat requires a token and the state service is on.",
  },
  {
    name: "AI_CHAT_QUOTA_TOKENS",
    group: "Conversation",
    default: "20000",
    effect: "Estimated output tokens of each key in each window.",
  },
  {
    name: "AI_CHAT_QUOTA_WINDOW_SEC",
    group: "Conversation",
    default: "86400",
    effect: "Length of a window in seconds; it begins with the first use.",
  },
  {
    name: "AI_QUOTA_RESET_SECRET",
    group: "Conversation",
    secret: true,
    effect:
      "Secret for POST /api/quota-reset, at least 16 characters and not to be guessed. Without it that address refuses everybody.",
  },
] as const satisfies readonly Setting[];
