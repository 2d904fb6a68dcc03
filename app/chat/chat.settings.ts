import { apiPath } from "~/platform/config/api-path";
import { flag, integer, list, oneOf, text } from "~/platform/config/kinds";
import type { SettingReader } from "~/platform/config/setting-reader";
import { describeProviders, getProvider } from "~/platform/providers/provider-row";
import { chatProviderSettings } from "./providers/chat-provider.settings";
import { chatProviders, noChat } from "./providers/chat-providers.server";

const embedded = "offline";

export const chatSettings = {
  requiresJwt: flag(
    "NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT",
    { default: false, switches: { name: "Chat, speech and tools for holders only" } },
    "Chat, speech and tools only with an access token. The quota needs it: without, nobody is counted.",
  ),
  apiPath: apiPath(
    "NEXT_PUBLIC_AI_CHAT_API_PATH",
    { ownPath: "/api/chat" },
    "Path of the chat, which moves there: the default path answers 404 then. Must not be another route's.",
  ),
  provider: oneOf(
    "AI_PROVIDER",
    {
      of: chatProviders.map(({ name }) => name),
      range: describeProviders(chatProviders),
      default: embedded,
      switches: { name: "Answers by a model", offAt: embedded, off: "the embedded assistant answers" },
    },
    "Who answers. `disabled`: the chat is not there, and no page names it.",
  ),
  models: list(
    "AI_MODELS",
    {},
    "Models a client may choose from; the first one is the default. Default: one small model of the provider.",
  ),
  ...chatProviderSettings,
  systemPrompt: text(
    "AI_SYSTEM_PROMPT",
    {},
    "What the model is told before each conversation. Default: system-prompt.md in the content folder.",
  ),
  maxOutputTokens: integer(
    "AI_CHAT_MAX_OUTPUT_TOKENS",
    { min: 1, max: 1_000_000, default: 2000 },
    "Longest answer, in estimated tokens (four characters each).",
  ),
  maxDurationSeconds: integer(
    "AI_CHAT_MAX_DURATION",
    { min: 1, max: 3600, default: 30 },
    "Longest time an answer may take, in seconds.",
  ),
  maxSteps: integer(
    "AI_CHAT_MAX_STEPS",
    { min: 1, max: 50, default: 5 },
    "How many rounds of tool calls one answer may take.",
  ),
  resumeSeconds: integer(
    "CHAT_RESUME_SECONDS",
    { min: 0, max: 86_400, default: 300, switches: { name: "Answers that can be taken up again" } },
    "How long an answer can be taken up again after it ended, in seconds: by the page after a reload, or by any client that asks for it. 0 stores no answers, and their addresses answer 404.",
  ),
  resumeOpen: integer(
    "CHAT_RESUME_OPEN",
    { min: 1, max: 1000, default: 4 },
    "How many such answers may be under way at once for each key, or where there is no token for each client's address, which all behind one NAT or behind a proxy that TRUST_PROXY does not name share.",
  ),
  offlineWordMs: integer(
    "AI_OFFLINE_WORD_MS",
    { min: 0, max: 1000, default: 30, isForTests: true },
    "Pace of the embedded assistant in milliseconds a word; 0 sends everything at once.",
  ),
};

export type ChatConfig = ReturnType<typeof readChat>;

export function readChat(reader: SettingReader) {
  const values = reader.read(chatSettings);
  const { provider, models } = values;
  const isOn = provider !== noChat;
  if (!isOn) {
    const why = `AI_PROVIDER is ${noChat}: there is no chat.`;
    reader.setSwitch(chatSettings.provider, false, why);
    reader.setSwitch(chatSettings.resumeSeconds, false, why);
  }
  const row = getProvider(chatProviders, provider);
  reader.requireNeeds(chatSettings.provider, row);
  if (models.length > 0) return { ...values, isOn };
  if (row.isModelUnknown) {
    const problem = `is not set: the ${provider} server is asked for a model called \`${row.defaultModel}\`.`;
    reader.warn(chatSettings.models, problem);
  }
  return { ...values, isOn, models: [row.defaultModel] };
}
