import { linkAbort } from "~/platform/linked-abort";

export type SpeechPart<Audio> = {
  /** Resolves when the audio can be played; asked for one part ahead of the one that plays. */
  fetchAudio: (part: { text: string; messageId: string; signal: AbortSignal }) => Promise<Audio>;
  /** Resolves when it has been played to its end. */
  playAudio: (part: { audio: Audio; signal: AbortSignal }) => Promise<void>;
};

/**
 * Speaks the pieces of an answer one after the other, in their order, while later ones are still being written. Stops
 * with the signal, whatever it is waiting for, and throws its reason; so it does with the first failure.
 */
export async function readAloud<Audio>({
  pieces,
  messageId,
  signal,
  fetchAudio,
  playAudio,
}: {
  pieces: AsyncIterable<string>;
  messageId: string;
  signal: AbortSignal;
} & SpeechPart<Audio>): Promise<void> {
  const { controller, unlink } = linkAbort([signal]);
  const stopped = new Promise<never>((_resolve, reject) => {
    const onAbort = () => reject(controller.signal.reason as Error);
    if (controller.signal.aborted) onAbort();
    else controller.signal.addEventListener("abort", onAbort, { once: true });
  });
  stopped.catch(() => undefined);
  const orStopped = <Value>(work: Promise<Value>) => Promise.race([stopped, work]);
  const iterator = pieces[Symbol.asyncIterator]();
  let playing: Promise<void> = Promise.resolve();
  try {
    for (let index = 0; ; index += 1) {
      const { done, value: text } = await orStopped(iterator.next());
      if (done) break;
      const part = { text, messageId: `${messageId}:${index}`, signal: controller.signal };
      const fetching = fetchAudio(part);
      // Its failure is met below, when it is this part's turn.
      fetching.catch(() => undefined);
      await orStopped(playing);
      playing = fetching.then((audio) => {
        controller.signal.throwIfAborted();
        return playAudio({ audio, signal: controller.signal });
      });
      playing.catch(() => undefined);
    }
    await orStopped(playing);
  } finally {
    controller.abort(new Error("Reading aloud is over"));
    unlink();
    // An answer that is stuck must not hold the end up.
    void iterator.return?.().catch(() => undefined);
  }
}
