import { baseUrl, eitherOf, integer, oneOf, secret, text } from "~/platform/config/kinds";
import type { SettingReader } from "~/platform/config/setting-reader";
import { describeProviders, getProvider } from "~/platform/providers/provider-row";
import type { SpeechProviderRow } from "./providers/speech-provider.server";
import { speechProviders } from "./providers/speech-providers.server";

const nobody = "disabled";

function listDefaults(member: "defaultModel" | "defaultVoice"): string {
  const rows = speechProviders.filter((row) => row[member] !== undefined);
  return rows.map((row) => `${row[member]} for \`${row.name}\``).join(", ");
}

function listVoices(): string {
  const rows = speechProviders.flatMap(({ name, voices }) => (voices ? [{ name, voices }] : []));
  return rows.map(({ name, voices }) => `\`${name}\`: ${eitherOf(voices)}`).join("; ");
}

export const speechSettings = {
  provider: oneOf(
    "TTS_PROVIDER",
    {
      of: [...speechProviders.map(({ name }) => name), nobody],
      range: describeProviders(speechProviders, [nobody]),
      default: "flite",
      switches: { name: "Reading aloud" },
    },
    "Who speaks.",
  ),
  local: {
    baseUrl: baseUrl(
      "TTS_BASE_URL",
      { suchAs: "http://127.0.0.1:8880/v1" },
      "Address of the server for `local`.",
    ),
    apiKey: secret("TTS_API_KEY", {}, "Key for `local`, where the server wants one."),
  },
  voice: text("TTS_VOICE", { range: listVoices() }, `The voice. Default: ${listDefaults("defaultVoice")}.`),
  model: text("TTS_MODEL", {}, `The model. Default: ${listDefaults("defaultModel")}.`),
  elevenLabs: {
    apiKey: secret("ELEVENLABS_API_KEY", {}, "Key for `elevenlabs`."),
    // It becomes part of an address.
    voice: text(
      "ELEVENLABS_VOICE_ID",
      {
        pattern: {
          matches: /^[A-Za-z0-9_-]{1,64}$/,
          range: "letters and digits, as the provider's dashboard shows it",
        },
      },
      "Voice for `elevenlabs`, where TTS_VOICE is not read.",
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
      "Threads that `flite` speaks with; some 100 MB of memory each, while they speak.",
    ),
    queue: integer(
      "TTS_QUEUE",
      { min: 0, max: 1000, default: 16 },
      "Sentences that may wait for such a thread before a new text is refused.",
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
  const { cacheMb, ...values } = reader.read(speechSettings);
  const implied = speechProviders.find((row) => row.isImplied && reader.hasNeeds(row));
  const isImplied = implied && !reader.isSet(speechSettings.provider);
  const provider = isImplied ? implied.name : values.provider;
  const row = provider === nobody ? null : getProvider(speechProviders, provider);
  const chosen = `TTS_PROVIDER is ${provider}.`;
  reader.setSwitch(speechSettings.provider, row !== null, chosen);
  if (row) checkProvider(reader, row, values.voice);
  else reader.setSwitch(speechSettings.cacheMb, false, chosen);
  if (!isChatQuotaActive && values.quota.characters > 0) {
    const why = "The chat quota, which it goes by, is off.";
    reader.setSwitch(speechSettings.quota.characters, false, why);
  }
  return { ...values, provider, cacheBytes: cacheMb * 1024 * 1024 };
}

function checkProvider(reader: SettingReader, row: SpeechProviderRow, voice: string | null): void {
  reader.requireNeeds(speechSettings.provider, row);
  if (voice === null || !row.voices || row.voices.includes(voice)) return;
  const choices = row.voices.join(", ");
  reader.report(speechSettings.voice, `must be one of ${choices} when TTS_PROVIDER is ${row.name}.`);
}
