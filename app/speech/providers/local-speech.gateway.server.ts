import { askForAudio } from "./audio-http.gateway.server";
import type { AudioTimes } from "./audio-http.gateway.server";
import type { SpeechProvider } from "./speech-provider";

/** A server of the operator's own that speaks OpenAI's protocol. Most of them want no key. */
export function createLocalSpeech({
  baseUrl,
  apiKey,
  model,
  voice,
  times,
}: {
  baseUrl: string;
  apiKey: string | null;
  model: string;
  voice: string;
  times?: Partial<AudioTimes>;
}): SpeechProvider {
  return {
    name: "local",
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
