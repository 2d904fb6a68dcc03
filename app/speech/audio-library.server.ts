import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { FileHandle } from "node:fs/promises";
import type { AudioCache, AudioPart, CachedAudio } from "./audio-cache.server";
import { SpeechBusy, SpeechFault } from "./providers/speech-provider.server";
import type { SpokenAudio } from "./providers/speech-provider.server";

/** How far the provider may be ahead of the fastest reader. */
const maxAheadBytes = 1024 * 1024;
const readBytes = 64 * 1024;
const maxAudioBytes = 64 * 1024 * 1024;

type Speak = (asked: { signal: AbortSignal }) => Promise<SpokenAudio>;

type AudioReader = {
  /** The next bytes, null at the proper end. Throws where the audio broke off. */
  next: () => Promise<Uint8Array | null>;
  /** When the last reader leaves, the provider is cancelled. */
  leave: () => void;
};

/**
 * Each is called at most once: `onLeft` when this reader has left, `onEmpty` when the last reader has left, `onAsked` when the provider is called for this
 * reader, the one who has waited longest. Later readers join that call.
 */
type JoinHooks = { onLeft: () => void; onEmpty: () => void; onAsked: () => void };
type Position = { at: number; onAsked: () => void };

/** `totalBytes` null: not known yet. `isCached`: from the cache. */
type StartedAudio = { contentType: string; isCached: boolean; totalBytes: number | null };

export type AudioLibrary = ReturnType<typeof createAudioLibrary>;
export type OpenAudio = StartedAudio & { reader: AudioReader };

type OpenOptions = {
  /** Everything that determines the audio, the text included. */
  identity: readonly string[];
  speak: Speak;
  /** Called when the provider is called for this caller, and not for cached or joined audio. */
  onAsked: () => void;
  clientId: string;
  signal: AbortSignal;
};

const maxReadersOfClient = 16;

/**
 * All speech: from the cache, from a synthesis in progress, or from the provider. At most `maxSyntheses` are in progress,
 * because each occupies the provider. Others only hold a file open for their readers, of which each client has few.
 */
export function createAudioLibrary(cache: AudioCache, maxSyntheses = 64) {
  const syntheses = new Map<string, SharedSynthesis>();
  const readers = new Set<{ clientId: string }>();

  /** Resolves with the first byte at hand. When the signal fires, now or later, the caller has left. */
  async function open({ identity, speak, onAsked, clientId, signal }: OpenOptions): Promise<OpenAudio> {
    signal.throwIfAborted();
    if ([...readers].filter((reader) => reader.clientId === clientId).length >= maxReadersOfClient) {
      throw new SpeechBusy(`You are listening to ${maxReadersOfClient} texts. Let one of them end.`);
    }
    const key = keyOf(identity);
    const synthesis = syntheses.get(key) ?? startSynthesis(key, speak);
    const forget = () => {
      if (syntheses.get(key) === synthesis) syntheses.delete(key);
    };
    const place = { clientId };
    readers.add(place);
    const reader = synthesis.join({ onAsked, onEmpty: forget, onLeft: () => readers.delete(place) });
    const left = new Promise<never>((_resolve, reject) => {
      const leave = () => (reader.leave(), reject(signal.reason as Error));
      signal.addEventListener("abort", leave, { once: true });
    });
    left.catch(() => undefined);
    try {
      return { ...(await Promise.race([synthesis.started, left])), reader };
    } catch (error) {
      // A failed synthesis cannot be joined.
      if (!signal.aborted) forget();
      reader.leave();
      throw error;
    }
  }

  /** Short cached audio, which needs no follower and no provider. */
  const readShort = (identity: OpenOptions["identity"]): Promise<CachedAudio | null> =>
    cache.readShort(keyOf(identity));

  function startSynthesis(key: string, speak: Speak): SharedSynthesis {
    const running = [...syntheses.values()].filter(({ isRunning }) => isRunning);
    if (running.length >= maxSyntheses) throw new SpeechBusy("As many voices speak as may at once.");
    const synthesis = new SharedSynthesis(key, cache, speak);
    syntheses.set(key, synthesis);
    return synthesis;
  }

  return { open, readShort };
}

function keyOf(identity: OpenOptions["identity"]): string {
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

/**
 * One synthesis for all who ask for the same at the same time. The provider's audio is written to a file, which readers
 * read at their own pace with one chunk of memory each. It ends early when the last one leaves.
 */
class SharedSynthesis {
  readonly started: Promise<StartedAudio>;
  readonly #stopping = new AbortController();
  readonly #readers = new Set<Position>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #file: FileHandle | null = null;
  #written = 0;
  #state: "open" | "complete" | "failed" = "open";
  #failure: unknown = null;
  #isWriting = false;

  constructor(key: string, cache: AudioCache, speak: Speak) {
    this.started = this.#start(key, cache, speak);
    // Readers that joined learn of it from `started`.
    this.started.catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#state === "open";
  }

  join({ onLeft, onEmpty, onAsked }: JoinHooks): AudioReader {
    const position = { at: 0, onAsked };
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    this.#readers.add(position);
    return {
      next: () => this.#readNext(position, buffer),
      leave: () => {
        if (!this.#readers.delete(position)) return;
        onLeft();
        if (this.#readers.size > 0) return;
        onEmpty();
        if (this.#state === "open") this.#stopping.abort(new Error("Nobody listens any more"));
        this.#changes.emit("change");
        this.#closeWhenUnused();
      },
    };
  }

  async #start(key: string, cache: AudioCache, speak: Speak): Promise<StartedAudio> {
    const { signal } = this.#stopping;
    let part: AudioPart | null = null;
    try {
      const cached = await cache.find(key);
      if (cached !== null) {
        this.#file = cached.file;
        this.#written = cached.bytes;
        this.#state = "complete";
        return { contentType: cached.contentType, isCached: true, totalBytes: cached.bytes };
      }
      signal.throwIfAborted();
      // Before the provider is called: audio that cannot be stored must not cost anything.
      part = await cache.createPart(key);
      this.#file = part.file;
      signal.throwIfAborted();
      const [longestWaiting] = this.#readers;
      const starting = speak({ signal });
      longestWaiting?.onAsked();
      const audio = await starting;
      this.#isWriting = true;
      void this.#write(part, audio);
      return { contentType: audio.contentType, isCached: false, totalBytes: null };
    } catch (error) {
      // Requested audio that nobody will read has to be cancelled.
      this.#stopping.abort(error);
      this.#fail(error);
      await part?.discard();
      throw error;
    } finally {
      this.#closeWhenUnused();
    }
  }

  async #write(part: AudioPart, { contentType, chunks }: SpokenAudio): Promise<void> {
    const hash = createHash("sha256");
    try {
      for await (const chunk of chunks) {
        if (this.#written + chunk.length > maxAudioBytes)
          throw new SpeechFault({ details: "the audio is too long" });
        await part.file.write(chunk, 0, chunk.length, this.#written);
        hash.update(chunk);
        this.#written += chunk.length;
        this.#changes.emit("change");
        await this.#waitForReaders();
      }
      if (this.#written === 0) throw new SpeechFault({ details: "no audio came" });
      await part.keep({ contentType, bytes: this.#written, sha256: hash.digest("hex") });
      this.#state = "complete";
    } catch (error) {
      await part.discard();
      this.#fail(error);
    } finally {
      this.#isWriting = false;
      this.#changes.emit("change");
      this.#closeWhenUnused();
    }
  }

  async #waitForReaders(): Promise<void> {
    for (;;) {
      this.#stopping.signal.throwIfAborted();
      const furthest = Math.max(...[...this.#readers].map(({ at }) => at));
      if (this.#written - furthest < maxAheadBytes) return;
      await once(this.#changes, "change");
    }
  }

  async #readNext(position: Position, buffer: Buffer): Promise<Uint8Array | null> {
    await this.started;
    while (position.at >= this.#written) {
      if (this.#state === "failed") throw this.#failure;
      if (this.#state === "complete") return null;
      if (!this.#readers.has(position)) throw new Error("This reader has left.");
      await once(this.#changes, "change");
    }
    if (this.#file === null) throw new Error("This reader has left.");
    const wanted = Math.min(buffer.length, this.#written - position.at);
    const { bytesRead } = await this.#file.read(buffer, 0, wanted, position.at);
    if (bytesRead === 0) throw new Error("The audio in the file is shorter than it was.");
    position.at += bytesRead;
    this.#changes.emit("change");
    return Uint8Array.from(buffer.subarray(0, bytesRead));
  }

  #fail(error: unknown): void {
    this.#state = "failed";
    this.#failure = error;
    this.#changes.emit("change");
  }

  #closeWhenUnused(): void {
    if (this.#readers.size > 0 || this.#isWriting || this.#file === null) return;
    // A descriptor that cannot be closed is closed already.
    this.#file.close().catch(() => undefined);
    this.#file = null;
  }
}
