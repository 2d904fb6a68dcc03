export type SpeechRequest = {
  /** Cleaned for the ear, and not empty. */
  text: string;
  signal: AbortSignal;
};

/** Audio as it comes. Nothing is read ahead of the consumer; ending the iteration ends the outside work. */
export type SpokenAudio = { contentType: string; chunks: AsyncIterable<Uint8Array> };

export type SpeechProvider = {
  name: string;
  /** All that alters how the same text sounds: voice, model, place. */
  voiceId: string;
  /**
   * Resolves when audio is about to come. Throws `SpeechFault`, `SpeechBusy` or `UnspeakableText`, or the signal's
   * reason once the signal has fired; so does the iteration, `UnspeakableText` and `SpeechBusy` excepted.
   */
  speak: (request: SpeechRequest) => Promise<SpokenAudio>;
  /** Of what runs in this process; to be called once. */
  stop?: () => Promise<void>;
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

/** As much is being spoken and waited for as there is room for. */
export class SpeechBusy extends Error {
  override readonly name = "SpeechBusy";
}

/** This voice has no sounds for this text. */
export class UnspeakableText extends Error {
  override readonly name = "UnspeakableText";
}
