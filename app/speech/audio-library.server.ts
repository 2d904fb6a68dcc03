import { createHash } from "node:crypto";
import type { AudioCache } from "./audio-cache.server";
import { SpeechBusy } from "./providers/speech-provider.server";
import { SharedSynthesis } from "./shared-synthesis.server";
import type { AudioReader, Speak, StartedAudio } from "./shared-synthesis.server";

export type OpenAudio = StartedAudio & { reader: AudioReader };

export type AudioLibrary = ReturnType<typeof createAudioLibrary>;

type OpenOptions = {
  /** All that decides how it sounds, the text included. */
  identity: readonly string[];
  speak: Speak;
  /** Called when the provider is asked for this caller: not for what is kept, nor for what another caused. */
  onAsked: () => void;
  signal: AbortSignal;
};

/**
 * Where all speech comes from: what is kept, what is just being spoken for somebody else, or the provider. Each
 * synthesis holds a file open, so there are at most `maxSyntheses`.
 */
export function createAudioLibrary(cache: AudioCache, maxSyntheses = 64) {
  const syntheses = new Map<string, SharedSynthesis>();

  /** Resolves with the first byte at hand. When the signal fires, now or later, the caller has left. */
  async function open({ identity, speak, onAsked, signal }: OpenOptions): Promise<OpenAudio> {
    signal.throwIfAborted();
    const key = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    const synthesis = syntheses.get(key) ?? startSynthesis(key, speak);
    const forget = () => {
      if (syntheses.get(key) === synthesis) syntheses.delete(key);
    };
    const reader = synthesis.join({ onAsked, onEmpty: forget });
    const left = new Promise<never>((_resolve, reject) => {
      const leave = () => (reader.leave(), reject(signal.reason as Error));
      signal.addEventListener("abort", leave, { once: true });
    });
    left.catch(() => undefined);
    try {
      return { ...(await Promise.race([synthesis.started, left])), reader };
    } catch (error) {
      // What has failed is nobody's to join.
      if (!signal.aborted) forget();
      reader.leave();
      throw error;
    }
  }

  function startSynthesis(key: string, speak: Speak): SharedSynthesis {
    if (syntheses.size >= maxSyntheses) throw new SpeechBusy("As many voices speak as may at once.");
    const synthesis = new SharedSynthesis(key, cache, speak);
    syntheses.set(key, synthesis);
    return synthesis;
  }

  return { open };
}
