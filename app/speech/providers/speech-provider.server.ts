import { instrumentIteration } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import type { ProviderRow } from "~/platform/providers/provider-row";

/** `text` is ready to be spoken, and not empty. */
type SpeechCall = { text: string; clientId: string; signal: AbortSignal };

/** No read-ahead. Ending the iteration ends the request. */
export type SpokenAudio = { contentType: string; chunks: AsyncIterable<Uint8Array> };

export type SpeechProvider = {
  name: string;
  /** Everything that changes the sound: voice, model, address. */
  voiceId: string;
  /** The part of the text that this voice can speak. Null if there is none. */
  toSayable?: (text: string) => string | null;
  /** Throws `SpeechFault`, `SpeechBusy`, `UnspeakableText` or the signal's reason. The iteration throws the first or last. */
  speak: (call: SpeechCall) => Promise<SpokenAudio>;
  stop?: () => Promise<void>;
};

type Site = { baseUrl: string | null; apiKey: string | null };

type SpeechSettings = {
  /** Null for the provider's default. */
  voice: string | null;
  model: string | null;
  local: Site;
  elevenLabs: Site & { voice: string | null };
};

/** The settings that the rows read. */
export type SpeechConfig = { speech: SpeechSettings; chat: { openai: Site } };

export type SpeechProviderRow = ProviderRow<SpeechConfig, SpeechProvider> & {
  /** The default if its settings are set. */
  isImplied?: boolean;
  defaultModel?: string;
  defaultVoice?: string;
  /** If there are no others. */
  voices?: readonly string[];
};

/** `details` goes to the client: no keys, response bodies or addresses. */
export class SpeechFault extends Error {
  override readonly name = "SpeechFault";
  readonly details: string;

  constructor({ details, cause }: { details: string; cause?: unknown }) {
    super(`Speech failed: ${details}`, { cause });
    this.details = details;
  }
}

/** The message is for the client. */
export class SpeechBusy extends Error {
  override readonly name = "SpeechBusy";
}

export class UnspeakableText extends Error {
  override readonly name = "UnspeakableText";
}

export function instrumentSpeech(provider: SpeechProvider, instrument: ProviderInstrument): SpeechProvider {
  return {
    ...provider,
    async speak(request) {
      const begun = instrument({ kind: "speech", provider: provider.name });
      const { signal } = request;
      try {
        const { contentType, chunks } = await provider.speak(request);
        return { contentType, chunks: instrumentIteration({ events: chunks, begin: () => begun, signal }) };
      } catch (error) {
        begun.end(signal.aborted ? "cancelled" : "error", error);
        throw error;
      }
    },
  };
}
