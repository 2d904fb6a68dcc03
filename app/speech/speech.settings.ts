import { baseUrl, integer, oneOf, secret, text } from "~/platform/config/kinds";
import type { SettingReader } from "~/platform/config/setting-reader";
import { getProvider } from "~/platform/providers/provider-row";
import { fliteVoices } from "./flite/flite-voices";
import { speechProviders } from "./providers/speech-providers.server";

const defaultModels = { openai: "gpt-4o-mini-tts", local: "tts-1", elevenlabs: "eleven_multilingual_v2" };
const defaultVoice = "alloy";

export const speechSettings = {
  provider: oneOf(
    "TTS_PROVIDER",
    {
      of: [...speechProviders.map(({ name }) => name), "disabled"],
      default: "flite",
      switches: { name: "Reading aloud" },
    },
    "Who speaks: `flite` (embedded, English), `openai`, `elevenlabs`, `local` (an OpenAI-compatible server; the default where TTS_BASE_URL is set) or `disabled`.",
  ),
  local: {
    baseUrl: baseUrl(
      "TTS_BASE_URL",
      { suchAs: "http://127.0.0.1:8880/v1" },
      "Address of the server for `local`, ending in /v1, such as http://127.0.0.1:8880/v1.",
    ),
    apiKey: secret("TTS_API_KEY", {}, "Key for `local`, where the server wants one."),
  },
  voice: text(
    "TTS_VOICE",
    {},
    "The voice. `flite`: slt (default), rms, awb, kal16 or kal. `openai` and `local`: default alloy. `elevenlabs` has ELEVENLABS_VOICE_ID instead.",
  ),
  model: text(
    "TTS_MODEL",
    {},
    "The model. Default: gpt-4o-mini-tts for `openai`, tts-1 for `local`, eleven_multilingual_v2 for `elevenlabs`.",
  ),
  elevenLabs: {
    apiKey: secret(
      "ELEVENLABS_API_KEY",
      {},
      "Key for `elevenlabs`. `openai` uses OPENAI_API_KEY and OPENAI_BASE_URL.",
    ),
    // It becomes part of an address.
    voice: text(
      "ELEVENLABS_VOICE_ID",
      {
        pattern: {
          matches: /^[A-Za-z0-9_-]{1,64}$/,
          problem: "must be letters and digits, as the provider's dashboard shows it.",
        },
      },
      "Voice for `elevenlabs`.",
    ),
    baseUrl: baseUrl(
      "ELEVENLABS_BASE_URL",
      { default: "https://api.elevenlabs.io/v1" },
      "Root of that API, for proxies.",
    ),
  },
  cacheMb: integer(
    "TTS_CACHE_MB",
    { min: 0, max: 1_000_000, default: 256, switches: { name: "Spoken audio kept" } },
    "Room for spoken audio in the data folder, in megabytes; what was not asked for the longest goes first. 0 keeps none.",
  ),
  flite: {
    threads: integer(
      "TTS_THREADS",
      { min: 1, max: 16, default: 2 },
      "Threads that `flite` speaks with; some 60 MB of memory each, while they speak.",
    ),
    queue: integer(
      "TTS_QUEUE",
      { min: 0, max: 1000, default: 16 },
      "Texts that may wait for such a thread before more are refused.",
    ),
  },
  quota: {
    characters: integer(
      "TTS_QUOTA_CHARACTERS",
      { min: 0, max: 1_000_000_000, default: 50_000, switches: { name: "Speech quota" } },
      "Characters each key may have spoken in each window, while the chat quota is in force. 0 counts nothing.",
    ),
    windowSeconds: integer(
      "TTS_QUOTA_WINDOW_SEC",
      { min: 1, max: 31_536_000, default: 86_400 },
      "Length of such a window in seconds; it begins with the first use.",
    ),
  },
};

export function readSpeech(reader: SettingReader, isChatQuotaActive: boolean) {
  const { cacheMb, voice, model, ...values } = reader.read(speechSettings);
  const isLocalMeant = !reader.isSet(speechSettings.provider) && reader.isSet(speechSettings.local.baseUrl);
  const provider = isLocalMeant ? "local" : values.provider;
  if (provider !== "disabled") {
    reader.requireNeeds(speechSettings.provider, getProvider(speechProviders, provider));
  }
  const fliteVoice = fliteVoices.find((candidate) => candidate === voice);
  if (provider === "flite" && voice !== null && !fliteVoice) {
    const choices = fliteVoices.join(", ");
    reader.report(speechSettings.voice, `must be one of ${choices} when TTS_PROVIDER is flite.`);
  }
  reader.setSwitch(speechSettings.provider, provider !== "disabled", `TTS_PROVIDER is ${provider}.`);
  if (provider === "disabled") {
    reader.setSwitch(speechSettings.cacheMb, false, "TTS_PROVIDER is disabled.");
  }
  if (!isChatQuotaActive && values.quota.characters > 0) {
    const why = "The chat quota, which it goes by, is off.";
    reader.setSwitch(speechSettings.quota.characters, false, why);
  }
  return {
    ...values,
    provider,
    flite: { ...values.flite, voice: fliteVoice ?? fliteVoices[0] },
    openai: { model: model ?? defaultModels.openai, voice: voice ?? defaultVoice },
    local: { ...values.local, model: model ?? defaultModels.local, voice: voice ?? defaultVoice },
    elevenLabs: { ...values.elevenLabs, model: model ?? defaultModels.elevenlabs },
    cacheBytes: cacheMb * 1024 * 1024,
  };
}
