import { monotonicClock } from "~/platform/time/clock";
import { createProviderPing, toKeyHeaders } from "~/platform/providers/provider-ping.gateway.server";
import { askForAudio } from "./audio-http.gateway.server";
import type { SpeechConfig, SpeechProviderRow } from "./speech-provider.server";

type OpenAiSpeech = Pick<SpeechProviderRow, "name" | "summary" | "isPaid" | "needs" | "isImplied"> & {
  defaultModel: string;
  /** `baseUrl` is the API's root, such as `https://api.openai.com/v1`. */
  locate: (config: SpeechConfig) => { baseUrl: string | null; apiKey: string | null };
};

const defaultVoice = "alloy";

/** The row of a provider that speaks OpenAI's protocol. */
export function defineOpenAiSpeech({ locate, ...row }: OpenAiSpeech): SpeechProviderRow {
  const { name, defaultModel } = row;
  return {
    ...row,
    defaultVoice,
    create(config) {
      const { baseUrl, apiKey } = locate(config);
      const model = config.speech.model ?? defaultModel;
      const voice = config.speech.voice ?? defaultVoice;
      return {
        name,
        voiceId: JSON.stringify([baseUrl, model, voice]),
        speak: ({ text, signal }) =>
          askForAudio({
            url: `${baseUrl}/audio/speech`,
            headers: toKeyHeaders({ apiKey }),
            json: { model, voice, input: text, response_format: "mp3" },
            secrets: apiKey === null ? [] : [apiKey],
            signal,
          }),
      };
    },
    ping(config) {
      const { baseUrl, apiKey } = locate(config);
      return createProviderPing({
        what: "provider of speech",
        baseUrl: baseUrl ?? "",
        headers: toKeyHeaders({ apiKey }),
        clock: monotonicClock,
      });
    },
  };
}
