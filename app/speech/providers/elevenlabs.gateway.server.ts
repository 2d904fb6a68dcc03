import { monotonicClock } from "~/platform/time/clock";
import { createProviderPing } from "~/platform/providers/provider-ping.gateway.server";
import { askForAudio } from "./audio-http.gateway.server";
import type { AudioTimes } from "./audio-http.gateway.server";
import type { SpeechConfig, SpeechProvider, SpeechProviderRow } from "./speech-provider.server";

const defaultModel = "eleven_multilingual_v2";
const outputFormat = "mp3_44100_128";

export const elevenLabsSpeech: SpeechProviderRow = {
  name: "elevenlabs",
  summary: "hosted",
  isPaid: true,
  needs: ["ELEVENLABS_API_KEY", "ELEVENLABS_VOICE_ID"],
  defaultModel,
  create: ({ speech: { elevenLabs, model } }) =>
    createElevenLabsSpeech({ ...elevenLabs, model: model ?? defaultModel }),
  ping: ({ speech: { elevenLabs } }) =>
    createProviderPing({
      what: "provider of speech",
      baseUrl: elevenLabs.baseUrl ?? "",
      headers: { "xi-api-key": elevenLabs.apiKey ?? "" },
      clock: monotonicClock,
    }),
};

type ElevenLabsOptions = SpeechConfig["speech"]["elevenLabs"] & {
  model: string;
  times?: Partial<AudioTimes>;
};

/** `baseUrl` is the API's root, such as `https://api.elevenlabs.io/v1`. */
export function createElevenLabsSpeech(options: ElevenLabsOptions): SpeechProvider {
  const { baseUrl, voice, model, times } = options;
  const apiKey = options.apiKey ?? "";
  return {
    name: "elevenlabs",
    voiceId: JSON.stringify([baseUrl, model, voice, outputFormat]),
    speak: ({ text, signal }) =>
      askForAudio({
        url: `${baseUrl}/text-to-speech/${encodeURIComponent(voice ?? "")}/stream?output_format=${outputFormat}`,
        headers: { "xi-api-key": apiKey },
        json: { text, model_id: model },
        secrets: [apiKey],
        times,
        signal,
      }),
  };
}
