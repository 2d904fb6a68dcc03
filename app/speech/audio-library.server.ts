import { createHash, randomUUID } from "node:crypto";
import type { AudioCache } from "./audio-cache.server";
import { createSharedSynthesis } from "./shared-synthesis.server";
import type { AudioReader, SharedSynthesis, Speak } from "./shared-synthesis.server";
import { SpeechBusy } from "./providers/speech-provider";

/** `totalBytes` null: nobody knows yet. `isKept`: nothing had to be spoken for it. */
export type OpenAudio = {
  contentType: string;
  isKept: boolean;
  totalBytes: number | null;
  reader: AudioReader;
};

export type AudioLibrary = ReturnType<typeof createAudioLibrary>;

/** Each one holds a file open. */
const defaultMaxSyntheses = 64;

type OpenOptions = {
  /** All that decides how it sounds, the text included. */
  identity: readonly string[];
  speak: Speak;
  /** Called when the provider is asked for this caller: not for what is kept, nor for what another caused. */
  onAsked: () => void;
  signal: AbortSignal;
};

/** Where all speech comes from: what is kept, what is just being spoken for somebody else, or the provider. */
export function createAudioLibrary(cache: AudioCache, maxSyntheses: number = defaultMaxSyntheses) {
  const syntheses = new Map<string, SharedSynthesis>();

  /** Resolves with the first byte at hand. When the signal fires, now or later, the caller has left. */
  async function open({ identity, speak, onAsked, signal }: OpenOptions): Promise<OpenAudio> {
    signal.throwIfAborted();
    const key = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    const synthesis = syntheses.get(key) ?? startSynthesis(key, speak);
    const reader = synthesis.join({
      onAsked,
      onEmpty: () => {
        if (syntheses.get(key) === synthesis) syntheses.delete(key);
      },
    });
    const left = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => (reader.leave(), reject(signal.reason as Error)), {
        once: true,
      });
    });
    left.catch(() => undefined);
    try {
      return { ...(await Promise.race([synthesis.started, left])), reader };
    } catch (error) {
      // What has failed is nobody's to join.
      if (syntheses.get(key) === synthesis && !signal.aborted) syntheses.delete(key);
      reader.leave();
      throw error;
    }
  }

  function startSynthesis(key: string, speak: Speak): SharedSynthesis {
    if (syntheses.size >= maxSyntheses) throw new SpeechBusy("As many voices speak as may at once.");
    const synthesis = createSharedSynthesis({ key, name: `${key}.${randomUUID()}`, cache, speak });
    syntheses.set(key, synthesis);
    return synthesis;
  }

  return { open };
}
