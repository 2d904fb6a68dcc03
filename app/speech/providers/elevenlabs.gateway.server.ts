import { askForAudio } from "./audio-http.gateway.server";
import type { AudioTimes } from "./audio-http.gateway.server";
import type { SpeechProvider } from "./speech-provider";

const outputFormat = "mp3_44100_128";

/** `baseUrl` is the API's root, such as `https://api.elevenlabs.io/v1`. */
export function createElevenLabsSpeech({
  baseUrl,
  apiKey,
  voice,
  model,
  times,
}: {
  baseUrl: string;
  apiKey: string;
  voice: string;
  model: string;
  times?: Partial<AudioTimes>;
}): SpeechProvider {
  return {
    name: "elevenlabs",
    voiceId: JSON.stringify([baseUrl, model, voice, outputFormat]),
    speak: ({ text, signal }) =>
      askForAudio({
        url: `${baseUrl}/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=${outputFormat}`,
        headers: { "xi-api-key": apiKey },
        json: { text, model_id: model },
        secrets: [apiKey],
        times,
        signal,
      }),
  };
}
