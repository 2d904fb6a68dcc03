import type { Setting } from "./setting";

/** The part of the list of settings that is about speech. */
export const speechSettings = [
  {
    name: "TTS_PROVIDER",
    group: "Speech",
    default: "flite",
    effect:
      "Who speaks: `flite` (embedded, English), `openai`, `elevenlabs`, `local` (an OpenAI-compatible server; the default where TTS_BASE_URL is set) or `disabled`.",
  },
  {
    name: "TTS_BASE_URL",
    group: "Speech",
    effect: "Address of the server for `local`, ending in /v1, such as http://127.0.0.1:8880/v1.",
  },
  {
    name: "TTS_API_KEY",
    group: "Speech",
    secret: true,
    effect: "Key for `local`, where the server wants one.",
  },
  {
    name: "TTS_VOICE",
    group: "Speech",
    effect:
      "The voice. `flite`: slt (default), rms, awb, kal16 or kal. `openai` and `local`: default alloy. `elevenlabs` has ELEVENLABS_VOICE_ID instead.",
  },
  {
    name: "TTS_MODEL",
    group: "Speech",
    effect:
      "The model. Default: gpt-4o-mini-tts for `openai`, tts-1 for `local`, eleven_multilingual_v2 for `elevenlabs`.",
  },
  {
    name: "ELEVENLABS_API_KEY",
    group: "Speech",
    secret: true,
    effect: "Key for `elevenlabs`. `openai` uses OPENAI_API_KEY and OPENAI_BASE_URL.",
  },
  { name: "ELEVENLABS_VOICE_ID", group: "Speech", effect: "Voice for `elevenlabs`." },
  {
    name: "ELEVENLABS_BASE_URL",
    group: "Speech",
    default: "https://api.elevenlabs.io/v1",
    effect: "Root of that API, for proxies.",
  },
  {
    name: "TTS_CACHE_MB",
    group: "Speech",
    default: "256",
    effect:
      "Room for spoken audio in the data folder, in megabytes; what was not asked for the longest goes first. 0 keeps none.",
  },
  {
    name: "TTS_THREADS",
    group: "Speech",
    default: "2",
    effect: "Threads that `flite` speaks with; some 60 MB of memory each, while they speak.",
  },
  {
    name: "TTS_QUEUE",
    group: "Speech",
    default: "16",
    effect: "Texts that may wait for such a thread before more are refused.",
  },
  {
    name: "TTS_QUOTA_CHARACTERS",
    group: "Speech",
    default: "50000",
    effect:
      "Characters each key may have spoken in each window, while the chat quota is in force. 0 counts nothing.",
  },
  {
    name: "TTS_QUOTA_WINDOW_SEC",
    group: "Speech",
    default: "86400",
    effect: "Length of such a window in seconds; it begins with the first use.",
  },
] as const satisfies readonly Setting[];
