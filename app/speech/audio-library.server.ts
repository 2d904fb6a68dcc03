import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { FileHandle } from "node:fs/promises";
import { headBytes } from "./audio-cache.server";
import type { AudioCache, AudioPart } from "./audio-cache.server";
import { SpeechBusy, SpeechFault } from "./providers/speech-provider.server";
import type { SpokenAudio } from "./providers/speech-provider.server";

/** How far the provider may be ahead of the fastest reader. */
const maxAheadBytes = 1024 * 1024;
const readBytes = 64 * 1024;
const maxAudioBytes = 64 * 1024 * 1024;

type Speak = (request: { signal: AbortSignal }) => Promise<SpokenAudio>;

type AudioReader = {
  /** The next bytes, null at the proper end. Throws if the audio broke off. */
  next: () => Promise<Uint8Array | null>;
  /** When the last reader leaves, the provider is cancelled. */
  leave: () => void;
};

/**
 * Each is called at most once: `onLeft` after this reader, `onEmpty` after the last reader, `onRequest` if the provider is
 * called for this reader.
 */
type JoinHooks = { onLeft: () => void; onEmpty: () => void; onRequest: () => void };
type Position = { at: number; onRequest: () => void };

export type AudioLibrary = ReturnType<typeof createAudioLibrary>;
/** `totalBytes` null: not known yet. */
export type OpenAudio = {
  contentType: string;
  isCached: boolean;
  totalBytes: number | null;
  reader: AudioReader;
};

/** Voice and text. */
type Identity = readonly string[];
type OpenOptions = {
  identity: Identity;
  speak: Speak;
  /** The provider is called for this caller. */
  onRequest: () => void;
  clientId: string;
  signal: AbortSignal;
};

const maxReadersOfClient = 16;
const maxSynthesesOfClient = 4;

/**
 * Speech from the cache, from a synthesis in progress, or from the provider. At most `maxSyntheses` are in progress,
 * four of one client, because each occupies the provider. Others only hold a file open for their readers, of which each
 * client has few.
 */
export function createAudioLibrary(cache: AudioCache, maxSyntheses = 64) {
  const syntheses = new Map<string, SharedSynthesis>();
  const readers = new Set<{ clientId: string }>();

  async function findCached(identity: Identity): Promise<OpenAudio | null> {
    const cached = await cache.find(keyOf(identity));
    if (cached === null) return null;
    const { file, contentType, bytes: totalBytes } = cached;
    return { contentType, isCached: true, totalBytes, reader: readFile(file, totalBytes) };
  }

  /** Resolves when audio is about to come. The signal means that the caller has left. */
  async function open({ identity, speak, onRequest, clientId, signal }: OpenOptions): Promise<OpenAudio> {
    signal.throwIfAborted();
    if ([...readers].filter((reader) => reader.clientId === clientId).length >= maxReadersOfClient) {
      throw new SpeechBusy(`You are listening to ${maxReadersOfClient} texts. Let one of them end.`);
    }
    const key = keyOf(identity);
    const synthesis = syntheses.get(key) ?? startSynthesis(key, clientId, speak);
    const forget = () => {
      if (syntheses.get(key) === synthesis) syntheses.delete(key);
    };
    const place = { clientId };
    readers.add(place);
    const reader = synthesis.join({ onRequest, onEmpty: forget, onLeft: () => readers.delete(place) });
    const left = new Promise<never>((_resolve, reject) => {
      const leave = () => (reader.leave(), reject(signal.reason as Error));
      signal.addEventListener("abort", leave, { once: true });
    });
    left.catch(() => undefined);
    try {
      const contentType = await Promise.race([synthesis.started, left]);
      return { contentType, isCached: false, totalBytes: null, reader };
    } catch (error) {
      if (!signal.aborted) forget();
      reader.leave();
      throw error;
    }
  }

  function startSynthesis(key: string, clientId: string, speak: Speak): SharedSynthesis {
    const running = [...syntheses.values()].filter(({ isRunning }) => isRunning);
    if (running.length >= maxSyntheses) throw new SpeechBusy("As many voices speak as may at once.");
    if (running.filter((one) => one.clientId === clientId).length >= maxSynthesesOfClient) {
      throw new SpeechBusy(`You have ${maxSynthesesOfClient} texts being spoken. Let one of them end.`);
    }
    const synthesis = new SharedSynthesis({ key, clientId, cache, speak });
    syntheses.set(key, synthesis);
    return synthesis;
  }

  return { findCached, open };
}

function keyOf(identity: Identity): string {
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

function readFile(file: FileHandle, totalBytes: number): AudioReader {
  let at = 0;
  return {
    async next() {
      const chunk = await readChunk(file, at, totalBytes);
      at += chunk?.length ?? 0;
      return chunk;
    },
    leave: () => void file.close().catch(() => undefined),
  };
}

async function readChunk(file: FileHandle, at: number, endAt: number): Promise<Uint8Array | null> {
  if (at >= endAt) return null;
  const wanted = Math.min(readBytes, endAt - at);
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, headBytes + at);
  if (bytesRead === 0) throw new Error("The audio file was truncated while it was read.");
  return buffer.subarray(0, bytesRead);
}

type SynthesisOptions = { key: string; clientId: string; cache: AudioCache; speak: Speak };

/** Concurrent requests for the same audio share it. Readers follow the file at their own pace. Ends with the last reader. */
class SharedSynthesis {
  /** The content type, once audio is about to come. */
  readonly started: Promise<string>;
  readonly #stopping = new AbortController();
  readonly #readers = new Set<Position>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #file: FileHandle | null = null;
  #written = 0;
  #state: "open" | "complete" | "failed" = "open";
  #failure: unknown = null;
  #isWriting = false;

  /** The client that asked for it first. */
  readonly clientId: string;

  constructor({ key, clientId, cache, speak }: SynthesisOptions) {
    this.clientId = clientId;
    this.started = this.#start(key, cache, speak);
    // Readers that joined learn of it from `started`.
    this.started.catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#state === "open";
  }

  join({ onLeft, onEmpty, onRequest }: JoinHooks): AudioReader {
    const position = { at: 0, onRequest };
    this.#readers.add(position);
    return {
      next: () => this.#readNext(position),
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

  async #start(key: string, cache: AudioCache, speak: Speak): Promise<string> {
    const { signal } = this.#stopping;
    // Before the provider is called: if storing fails, nothing is charged.
    const part = await cache.createPart(key).catch((error: unknown) => {
      this.#fail(error);
      throw error;
    });
    this.#file = part.file;
    try {
      signal.throwIfAborted();
      const [longestWaiting] = this.#readers;
      const starting = speak({ signal });
      longestWaiting?.onRequest();
      const audio = await starting;
      this.#isWriting = true;
      void this.#write(part, audio);
      return audio.contentType;
    } catch (error) {
      this.#fail(error);
      await part.discard();
      throw error;
    } finally {
      this.#closeWhenUnused();
    }
  }

  async #write(part: AudioPart, { contentType, chunks }: SpokenAudio): Promise<void> {
    try {
      for await (const chunk of chunks) {
        if (this.#written + chunk.length > maxAudioBytes)
          throw new SpeechFault({ details: "the audio is too long" });
        const { bytesWritten } = await part.file.write(chunk, 0, chunk.length, headBytes + this.#written);
        if (bytesWritten < chunk.length) throw new Error("The disk took only a part of the audio.");
        this.#written += chunk.length;
        this.#changes.emit("change");
        await this.#waitForReaders();
      }
      if (this.#written === 0) throw new SpeechFault({ details: "no audio came" });
      await part.keep(contentType, this.#written);
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

  async #readNext(position: Position): Promise<Uint8Array | null> {
    await this.started;
    while (position.at >= this.#written) {
      if (this.#state === "failed") throw this.#failure;
      if (this.#state === "complete") return null;
      if (!this.#readers.has(position)) throw new Error("This reader has left.");
      await once(this.#changes, "change");
    }
    if (this.#file === null) throw new Error("This reader has left.");
    const chunk = await readChunk(this.#file, position.at, this.#written);
    position.at += chunk?.length ?? 0;
    this.#changes.emit("change");
    return chunk;
  }

  #fail(error: unknown): void {
    this.#state = "failed";
    this.#failure = error;
    this.#changes.emit("change");
  }

  #closeWhenUnused(): void {
    if (this.#readers.size > 0 || this.#isWriting || this.#file === null) return;
    // If closing fails, the descriptor is closed already.
    this.#file.close().catch(() => undefined);
    this.#file = null;
  }
}
