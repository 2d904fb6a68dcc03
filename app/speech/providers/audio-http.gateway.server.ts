import type { IncomingMessage } from "node:http";
import {
  ConnectionFault,
  TimeoutFault,
  contentTypeOf,
  createBodyReader,
  describeFault,
  post,
  readUnwanted,
} from "~/platform/providers/provider-http.gateway.server";
import { cleanProviderMessage } from "~/platform/providers/provider-message";
import { linkAbort } from "~/platform/time/linked-abort";
import { SpeechFault } from "./speech-provider.server";
import type { SpokenAudio } from "./speech-provider.server";

export type AudioTimes = {
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
};

type AudioRequest = {
  url: string;
  headers: Record<string, string>;
  json: unknown;
  /** Removed from the provider's messages. */
  secrets: readonly string[];
  times?: Partial<AudioTimes>;
  signal: AbortSignal;
};

const defaultTimes = { connectTimeoutMs: 3_000, firstByteTimeoutMs: 20_000, idleTimeoutMs: 15_000 };
const defaultContentType = "audio/mpeg";

/** The provider's message may have a key. Clean it before showing it. */
class AudioRefused extends Error {
  override readonly name = "AudioRefused";
}

/** Resolves with the first bytes at hand. */
export async function askForAudio(request: AudioRequest): Promise<SpokenAudio> {
  const times = { ...defaultTimes, ...request.times };
  const { controller, unlink } = linkAbort([request.signal]);
  const timer = setTimeout(() => {
    controller.abort(new TimeoutFault(`no audio within ${times.firstByteTimeoutMs / 1000} seconds`));
  }, times.firstByteTimeoutMs);
  const toFault = (error: unknown): unknown => {
    if (request.signal.aborted) return request.signal.reason;
    const cause = controller.signal.aborted ? controller.signal.reason : error;
    return toSpeechFault(cause, request.secrets);
  };

  async function* readChunks(first: Buffer, next: () => Promise<Buffer | null>): AsyncGenerator<Uint8Array> {
    try {
      for (let chunk: Buffer | null = first; chunk !== null; chunk = await next()) yield chunk;
    } catch (error) {
      throw toFault(error);
    } finally {
      unlink();
      if (!body?.readableEnded) body?.destroy();
    }
  }

  let body: IncomingMessage | null = null;
  try {
    body = await post({
      url: request.url,
      headers: { "Content-Type": "application/json", Accept: "audio/mpeg, audio/*", ...request.headers },
      body: JSON.stringify(request.json),
      connectTimeoutMs: times.connectTimeoutMs,
      signal: controller.signal,
    });
    const contentType = await requireAudio(body);
    const reader = createBodyReader(body, times.idleTimeoutMs);
    const first = await reader.next();
    if (first === null) throw new AudioRefused("an empty answer instead of audio");
    return { contentType, chunks: readChunks(first, reader.next) };
  } catch (error) {
    body?.destroy();
    unlink();
    throw toFault(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the content type. */
async function requireAudio(response: IncomingMessage): Promise<string> {
  const contentType = contentTypeOf(response);
  if (response.statusCode === 200 && !response.headers["content-encoding"]) {
    if (/^audio\/[a-z0-9.+-]{1,60}$/.test(contentType)) return contentType;
    if (["", "application/octet-stream"].includes(contentType)) return defaultContentType;
  }
  throw new AudioRefused(await readUnwanted(response, "audio"));
}

function toSpeechFault(error: unknown, secrets: readonly string[]): SpeechFault {
  if (error instanceof SpeechFault) return error;
  const words = error instanceof AudioRefused ? error.message : describeFault(error);
  return new SpeechFault({
    details: cleanProviderMessage(words, secrets),
    // The parser's errors have the received bytes, perhaps with a key.
    cause: error instanceof ConnectionFault ? error : undefined,
  });
}
