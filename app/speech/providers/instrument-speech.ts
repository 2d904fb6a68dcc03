import { instrumentIteration } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import type { SpeechProvider } from "./speech-provider";

export function instrumentSpeech(provider: SpeechProvider, instrument: ProviderInstrument): SpeechProvider {
  return {
    ...provider,
    async speak(request) {
      const begun = instrument({ kind: "speech", provider: provider.name });
      const { signal } = request;
      try {
        const { contentType, chunks } = await provider.speak(request);
        return {
          contentType,
          chunks: instrumentIteration({ events: chunks, begin: () => begun, signal }),
        };
      } catch (error) {
        begun.end(signal.aborted ? "cancelled" : "error", error);
        throw error;
      }
    },
  };
}
