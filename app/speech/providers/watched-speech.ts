import { watchIteration } from "~/platform/providers/provider-watch";
import type { ProviderWatch } from "~/platform/providers/provider-watch";
import type { SpeechProvider } from "./speech-provider";

/** The same voice; all it speaks is told of. */
export function watchSpeechProvider({
  provider,
  watch,
}: {
  provider: SpeechProvider;
  watch: ProviderWatch;
}): SpeechProvider {
  return {
    ...provider,
    async speak(asked) {
      const watched = watch({ kind: "speech", provider: provider.name });
      try {
        const { contentType, chunks } = await provider.speak(asked);
        return {
          contentType,
          chunks: watchIteration({ events: chunks, watched: () => watched, signal: asked.signal }),
        };
      } catch (error) {
        watched.end(asked.signal.aborted ? "cancelled" : "error", error);
        throw error;
      }
    },
  };
}
