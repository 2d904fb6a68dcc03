import { baseUrl, eitherOf, integer, oneOf, secret, text } from "~/platform/config/kinds";
import type { SettingReader } from "~/platform/config/setting-reader";
import { providerAddresses, providerKeys } from "~/platform/providers/provider-families";
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

const voices = {
  name: "TTS_VOICE",
  text: `The voice; ELEVENLABS_VOICE_ID for \`elevenlabs\`, as its dashboard shows it. Default: ${listDefaults("defaultVoice")}.`,
};

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
    apiKey: secret("TTS_API_KEY", { family: providerKeys }, "Key for `local`, where the server wants one."),
  },
  voice: text(
    "TTS_VOICE",
    { range: listVoices(), family: voices },
    `The voice. Default: ${listDefaults("defaultVoice")}.`,
  ),
  model: text("TTS_MODEL", {}, `The model. Default: ${listDefaults("defaultModel")}.`),
  elevenLabs: {
    apiKey: secret("ELEVENLABS_API_KEY", { family: providerKeys }, "Key for `elevenlabs`."),
    // It becomes part of an address.
    voice: text(
      "ELEVENLABS_VOICE_ID",
      {
        family: voices,
        pattern: {
          matches: /^[A-Za-z0-9_-]{1,64}$/,
          range: "letters and digits, as the provider's dashboard shows it",
        },
      },
      "Voice for `elevenlabs`, where TTS_VOICE is not read.",
    ),
    baseUrl: baseUrl(
      "ELEVENLABS_BASE_URL",
      { default: "https://api.elevenlabs.io/v1", family: providerAddresses },
      "Root of that API, for proxies.",
    ),
  },
  quotaCharacters: integer(
    "TTS_QUOTA_CHARACTERS",
    { min: 0, max: 1_000_000_000, default: 50_000, switches: { name: "Speech quota" } },
    "Characters that each key may have spoken in a window of AI_CHAT_QUOTA_WINDOW_SEC, while the chat quota is in force. 0 counts nothing.",
  ),
};

export function readSpeech(reader: SettingReader, isChatQuotaActive: boolean) {
  const values = reader.read(speechSettings);
  const implied = speechProviders.find((row) => row.isImplied && reader.hasNeeds(row));
  const isImplied = implied && !reader.isSet(speechSettings.provider);
  const provider = isImplied ? implied.name : values.provider;
  const row = provider === nobody ? null : getProvider(speechProviders, provider);
  const chosen = `TTS_PROVIDER is ${provider}.`;
  reader.setSwitch(speechSettings.provider, row !== null, chosen);
  if (row) checkProvider(reader, row, values.voice);
  if (!isChatQuotaActive && values.quotaCharacters > 0) {
    const why = "The chat quota, which it goes by, is off.";
    reader.setSwitch(speechSettings.quotaCharacters, false, why);
  }
  return { ...values, provider };
}

function checkProvider(reader: SettingReader, row: SpeechProviderRow, voice: string | null): void {
  reader.requireNeeds(speechSettings.provider, row);
  if (voice === null || !row.voices || row.voices.includes(voice)) return;
  const choices = row.voices.join(", ");
  reader.report(speechSettings.voice, `must be one of ${choices} when TTS_PROVIDER is ${row.name}.`);
}
