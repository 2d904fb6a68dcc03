import { askForAudio } from "./audio-http.gateway.server";
import type { AudioTimes } from "./audio-http.gateway.server";
import type { SpeechProvider } from "./speech-provider";

/** The hosted provider. `baseUrl` is the API's root, such as `https://api.openai.com/v1`. */
export function createOpenAiSpeech({
  baseUrl,
  apiKey,
  model,
  voice,
  times,
}: {
  baseUrl: string;
  apiKey: string;
  model: string;
  voice: string;
  times?: Partial<AudioTimes>;
}): SpeechProvider {
  return {
    name: "openai",
    voiceId: JSON.stringify([baseUrl, model, voice]),
    speak: ({ text, signal }) =>
      askForAudio({
        url: `${baseUrl}/audio/speech`,
        headers: { Authorization: `Bearer ${apiKey}` },
        json: { model, voice, input: text, response_format: "mp3" },
        secrets: [apiKey],
        times,
        signal,
      }),
  };
}
