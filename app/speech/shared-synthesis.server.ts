import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { AudioCache } from "./audio-cache.server";
import { SpeechFault } from "./providers/speech-provider";
import type { SpokenAudio } from "./providers/speech-provider";

/** How far the provider may be ahead of the reader who is furthest. */
const maxAheadBytes = 1024 * 1024;
const readBytes = 64 * 1024;
const maxAudioBytes = 64 * 1024 * 1024;

export type SynthesisSource = { key: string; name: string; cache: AudioCache; speak: Speak };
export type Speak = (asked: { signal: AbortSignal }) => Promise<SpokenAudio>;
export type SharedSynthesis = ReturnType<typeof createSharedSynthesis>;

export type AudioReader = {
  /** The next bytes, null at the proper end. Throws where the audio broke off. */
  next: () => Promise<Uint8Array | null>;
  /** Nothing more is wanted. The last one to leave ends the provider's work. */
  leave: () => void;
};

/**
 * Both are called at most once: `onEmpty` when the last reader has left, `onAsked` when the provider is asked for this
 * reader, who has waited the longest. Whoever joins later listens along.
 */
type JoinHooks = { onEmpty: () => void; onAsked: () => void };

type StartedAudio = { contentType: string; isKept: boolean; totalBytes: number | null };

/**
 * One synthesis for everybody who asks for the same at the same time. The provider writes into a file, readers follow
 * in it at their own pace, and the memory needed is one chunk each. It goes on while anybody listens.
 */
export function createSharedSynthesis({ key, name, cache, speak }: SynthesisSource) {
  const controller = new AbortController();
  const readers = new Set<{ at: number; onAsked: () => void }>();
  let file: FileHandle | null = null;
  let written = 0;
  let state: "open" | "complete" | "failed" = "open";
  let failure: unknown = null;
  let isWriting = false;
  let isEmpty = false;
  let wakeAll = () => {};
  let changed = new Promise<void>((resolve) => (wakeAll = resolve));

  function tell(): void {
    const wake = wakeAll;
    changed = new Promise<void>((resolve) => (wakeAll = resolve));
    wake();
  }

  const started = start();
  // Everybody who joined learns of it from `started` itself.
  started.catch(() => undefined);

  async function start(): Promise<StartedAudio> {
    let place: string | null = null;
    try {
      const kept = await cache.find(key);
      if (kept !== null) {
        file = kept.file;
        written = kept.bytes;
        state = "complete";
        return { contentType: kept.contentType, isKept: true, totalBytes: kept.bytes };
      }
      controller.signal.throwIfAborted();
      // Before the provider is asked: what cannot be written down must not cost anything.
      const part = await cache.createPart(name);
      ({ file, place } = part);
      controller.signal.throwIfAborted();
      const [longestWaiting] = readers;
      const asked = speak({ signal: controller.signal });
      longestWaiting?.onAsked();
      const { contentType, chunks } = await asked;
      isWriting = true;
      void write(part, contentType, chunks);
      return { contentType, isKept: false, totalBytes: null };
    } catch (error) {
      // Audio that was asked for and will not be read has to be given up.
      controller.abort(error);
      fail(error);
      if (place !== null) await cache.discard(place);
      throw error;
    } finally {
      closeWhenUnused();
    }
  }

  async function write(
    part: { file: FileHandle; place: string },
    contentType: string,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const hash = createHash("sha256");
    try {
      for await (const chunk of chunks) {
        if (written + chunk.length > maxAudioBytes)
          throw new SpeechFault({ details: "the audio is too long" });
        await part.file.write(chunk, 0, chunk.length, written);
        hash.update(chunk);
        written += chunk.length;
        tell();
        await waitForReaders();
      }
      if (written === 0) throw new SpeechFault({ details: "no audio came" });
      await cache.keep({ key, part, audio: { contentType, bytes: written, sha256: hash.digest("hex") } });
      state = "complete";
    } catch (error) {
      await cache.discard(part.place);
      fail(error);
    } finally {
      isWriting = false;
      tell();
      closeWhenUnused();
    }
  }

  async function waitForReaders(): Promise<void> {
    for (;;) {
      controller.signal.throwIfAborted();
      const furthest = Math.max(...[...readers].map(({ at }) => at));
      if (written - furthest < maxAheadBytes) return;
      await changed;
    }
  }

  function fail(error: unknown): void {
    state = "failed";
    failure = error;
    tell();
  }

  function closeWhenUnused(): void {
    if (!isEmpty || isWriting || file === null) return;
    const unused = file;
    file = null;
    // A descriptor that cannot be closed is closed already.
    unused.close().catch(() => undefined);
  }

  function join({ onEmpty, onAsked }: JoinHooks): AudioReader {
    const reader = { at: 0, onAsked };
    readers.add(reader);
    const buffer = Buffer.allocUnsafeSlow(readBytes);

    async function next(): Promise<Uint8Array | null> {
      await started;
      while (reader.at >= written) {
        if (state === "failed") throw failure;
        if (state === "complete") return null;
        if (!readers.has(reader)) throw new Error("This reader has left.");
        await changed;
      }
      const wanted = Math.min(buffer.length, written - reader.at);
      if (file === null) throw new Error("This reader has left.");
      const { bytesRead } = await file.read(buffer, 0, wanted, reader.at);
      if (bytesRead === 0) throw new Error("The audio in the file is shorter than it was.");
      reader.at += bytesRead;
      tell();
      return Uint8Array.from(buffer.subarray(0, bytesRead));
    }

    function leave(): void {
      if (!readers.delete(reader) || readers.size > 0) return;
      isEmpty = true;
      onEmpty();
      if (state === "open") controller.abort(new Error("Nobody listens any more"));
      tell();
      closeWhenUnused();
    }

    return { next, leave };
  }

  return { started, join };
}
