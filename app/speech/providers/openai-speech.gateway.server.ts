import { askForAudio } from "./audio-http.gateway.server";
import type { AudioTimes } from "./audio-http.gateway.server";
import type { SpeechProvider } from "./speech-provider";

/**
 * OpenAI's protocol, spoken by the hosted provider or by a server of the operator's own, of which most want no key.
 * `baseUrl` is the API's root, such as `https://api.openai.com/v1`.
 */
export function createOpenAiSpeech({
  name,
  baseUrl,
  apiKey,
  model,
  voice,
  times,
}: {
  name: "openai" | "local";
  baseUrl: string;
  apiKey: string | null;
  model: string;
  voice: string;
  times?: Partial<AudioTimes>;
}): SpeechProvider {
  return {
    name,
    voiceId: JSON.stringify([baseUrl, model, voice]),
    speak: ({ text, signal }) =>
      askForAudio({
        url: `${baseUrl}/audio/speech`,
        headers: apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` },
        json: { model, voice, input: text, response_format: "mp3" },
        secrets: apiKey === null ? [] : [apiKey],
        times,
        signal,
      }),
  };
}
