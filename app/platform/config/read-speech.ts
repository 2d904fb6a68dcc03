import { findBaseUrl } from "./read-conversation";
import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

export const speechProviders = ["flite", "openai", "elevenlabs", "local", "disabled"] as const;
export type SpeechProviderName = (typeof speechProviders)[number];
export const fliteVoices = ["slt", "rms", "awb", "kal16", "kal"] as const;
export type FliteVoice = (typeof fliteVoices)[number];

const defaultModels = { openai: "gpt-4o-mini-tts", local: "tts-1", elevenlabs: "eleven_multilingual_v2" };
const defaultVoice = "alloy";
const maxCharacters = 1_000_000_000;

export function readSpeech(reader: SettingReader) {
  const provider = readProvider(reader);
  const voice = reader.findText("TTS_VOICE");
  const model = reader.findText("TTS_MODEL");
  return {
    provider,
    flite: {
      voice: readFliteVoice({ reader, provider, voice }),
      threads: reader.getInteger({ name: "TTS_THREADS", min: 1, max: 16 }),
      queue: reader.getInteger({ name: "TTS_QUEUE", min: 0, max: 1000 }),
    },
    openai: { model: model ?? defaultModels.openai, voice: voice ?? defaultVoice },
    local: {
      baseUrl: readLocalAddress(reader),
      apiKey: reader.findText("TTS_API_KEY"),
      model: model ?? defaultModels.local,
      voice: voice ?? defaultVoice,
    },
    elevenLabs: {
      apiKey: reader.findText("ELEVENLABS_API_KEY"),
      baseUrl: findBaseUrl({ reader, name: "ELEVENLABS_BASE_URL" }),
      voice: readElevenLabsVoice(reader),
      model: model ?? defaultModels.elevenlabs,
    },
    cacheBytes: reader.getInteger({ name: "TTS_CACHE_MB", min: 0, max: 1_000_000 }) * 1024 * 1024,
    quota: {
      characters: reader.getInteger({ name: "TTS_QUOTA_CHARACTERS", min: 0, max: maxCharacters }),
      windowSeconds: reader.getInteger({ name: "TTS_QUOTA_WINDOW_SEC", min: 1, max: 31_536_000 }),
    },
  };
}

function readProvider(reader: SettingReader): SpeechProviderName {
  const chosen = reader.getChoice({ name: "TTS_PROVIDER", choices: speechProviders });
  const provider = !reader.isSet("TTS_PROVIDER") && reader.isSet("TTS_BASE_URL") ? "local" : chosen;
  const needed = {
    flite: [],
    openai: ["OPENAI_API_KEY"],
    elevenlabs: ["ELEVENLABS_API_KEY", "ELEVENLABS_VOICE_ID"],
    local: ["TTS_BASE_URL"],
    disabled: [],
  } as const satisfies Record<SpeechProviderName, readonly SettingName[]>;
  for (const name of needed[provider]) {
    if (!reader.isSet(name)) reader.report(name, `must be set when TTS_PROVIDER is ${provider}.`);
  }
  return provider;
}

function readFliteVoice({
  reader,
  provider,
  voice,
}: {
  reader: SettingReader;
  provider: SpeechProviderName;
  voice: string | null;
}): FliteVoice {
  const found = fliteVoices.find((candidate) => candidate === voice);
  if (provider === "flite" && voice !== null && !found) {
    reader.report("TTS_VOICE", `must be one of ${fliteVoices.join(", ")} when TTS_PROVIDER is flite.`);
  }
  return found ?? fliteVoices[0];
}

function readLocalAddress(reader: SettingReader): string | null {
  const baseUrl = findBaseUrl({ reader, name: "TTS_BASE_URL" });
  if (baseUrl !== null && !baseUrl.endsWith("/v1")) {
    reader.report("TTS_BASE_URL", "must end in /v1, such as http://127.0.0.1:8880/v1.");
  }
  return baseUrl;
}

/** The id becomes part of an address. */
function readElevenLabsVoice(reader: SettingReader): string | null {
  const text = reader.findText("ELEVENLABS_VOICE_ID");
  if (text !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(text)) {
    reader.report("ELEVENLABS_VOICE_ID", "must be letters and digits, as the provider's dashboard shows it.");
  }
  return text;
}
