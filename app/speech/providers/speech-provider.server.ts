import { instrumentIteration } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import type { ProviderRow } from "~/platform/providers/provider-row";

/** `text`: cleaned for the ear and put into what the voice can say, where it can. Not empty. `clientId`: who asked first. */
type SpeechCall = { text: string; clientId: string; signal: AbortSignal };

/** Audio as it comes. Nothing is read ahead of the consumer; ending the iteration ends the outside work. */
export type SpokenAudio = { contentType: string; chunks: AsyncIterable<Uint8Array> };

export type SpeechProvider = {
  name: string;
  /** All that alters how the same text sounds: voice, model, address. */
  voiceId: string;
  /** The text in what this voice has sounds for, which may be longer; null: none. By default the text as it is. */
  toSayable?: (text: string) => string | null;
  /**
   * Resolves when audio is about to come. Throws `SpeechFault`, `SpeechBusy` or `UnspeakableText`, or the signal's
   * reason once the signal has fired; so does the iteration, `UnspeakableText` and `SpeechBusy` excepted.
   */
  speak: (call: SpeechCall) => Promise<SpokenAudio>;
  /** Stops what runs in this process; to be called once. */
  stop?: () => Promise<void>;
};

type Site = { baseUrl: string | null; apiKey: string | null };

type SpeechSettings = {
  /** Null: the provider's default. */
  voice: string | null;
  model: string | null;
  local: Site;
  elevenLabs: Site & { voice: string | null };
};

/** What the rows read of the settings, which are made from them. The chat's `openai` is shared. */
export type SpeechConfig = { speech: SpeechSettings; chat: { openai: Site } };

export type SpeechProviderRow = ProviderRow<SpeechConfig, SpeechProvider> & {
  /** Chosen where no provider is, and what it needs is set. */
  isImplied?: boolean;
  defaultModel?: string;
  /** Omitted where a setting of its own says the voice. */
  defaultVoice?: string;
  /** Where there are no others. */
  voices?: readonly string[];
};

/** `details` goes to the client: no key, no body of an answer, no address. */
export class SpeechFault extends Error {
  override readonly name = "SpeechFault";
  readonly details: string;

  constructor({ details, cause }: { details: string; cause?: unknown }) {
    super(`Speech failed: ${details}`, { cause });
    this.details = details;
  }
}

/** As much is being spoken and waited for as there is room for; the message is for the client. */
export class SpeechBusy extends Error {
  override readonly name = "SpeechBusy";
}

/** This voice has no sounds for this text. */
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
