import { readChatStream, UnreadableStreamError } from "./chat-stream";
import type { StreamedEvent } from "./chat-stream";
import { backoffMs, pause } from "./network";
import type { Network } from "./network";

/** Connections that fail one after the other before the answer counts as lost. */
const maxFailures = 12;
/** A connection that lasted this long was a good one. */
const goodAfterMs = 5_000;
/** The server sends something every 15 s. */
const silentAfterMs = 40_000;
const doubtfulAfterMs = 20_000;
const openTimeoutMs = 15_000;
const longestRetryAfterMs = 60_000;

/** The server has nothing of the answer: it ended too long ago, or resuming is switched off. */
export class ReplyGoneError extends Error {
  override readonly name = "ReplyGoneError";
}

export class ReplyLostError extends Error {
  override readonly name = "ReplyLostError";
}

type ReplyStreamOptions = {
  /** The connection on which the answer began; null to take it up. */
  body: ReadableStream<Uint8Array> | null;
  /** Asks for what comes after the last event taken. Null where an answer ends with its connection. */
  reopen: ((signal: AbortSignal) => Promise<Response>) | null;
  readRefusal: (response: Response) => Promise<Error>;
  signal: AbortSignal;
  network: Network;
  onLost: (isLost: boolean) => void;
};

/** The events of one answer, over as many connections as it takes. */
export async function* readReplyStream(options: ReplyStreamOptions): AsyncGenerator<StreamedEvent> {
  const { reopen, signal, network, onLost } = options;
  let { body } = options;
  let failures = 0;
  for (;;) {
    if (body) {
      const openedAtMs = Date.now();
      const connection = followConnection(network);
      try {
        const isWhole = yield* readChatStream(body, connection);
        if (isWhole || !reopen) return;
      } catch (error) {
        if (signal.aborted || !reopen || error instanceof UnreadableStreamError) throw error;
      } finally {
        connection.release();
      }
      signal.throwIfAborted();
      if (Date.now() - openedAtMs >= goodAfterMs) failures = 0;
      // One that was given up here for a new one is no failure.
      if (!connection.drop.aborted) failures += 1;
    }
    onLost(true);
    body = await reconnect(reopen!);
    onLost(false);
  }

  async function reconnect(open: NonNullable<typeof reopen>): Promise<ReadableStream<Uint8Array>> {
    let retryAfterMs = 0;
    for (;;) {
      if (failures >= maxFailures) throw new ReplyLostError("No connection to the answer lasts.");
      await pause(Math.max(backoffMs(failures), retryAfterMs), network, signal);
      const response = await openInTime(open, signal);
      if (response?.status === 200 && response.body) return response.body;
      if (response?.status === 204 || response?.status === 404) throw new ReplyGoneError("Nothing is kept.");
      if (response && response.status < 500 && response.status !== 429) {
        throw await options.readRefusal(response);
      }
      const retryAfterSeconds = Number(response?.headers.get("Retry-After") ?? 0) || 0;
      retryAfterMs = Math.min(retryAfterSeconds * 1_000, longestRetryAfterMs);
      failures += 1;
    }
  }
}

/** Null when no answer came, or none in time. */
async function openInTime(
  open: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
): Promise<Response | null> {
  const connecting = new AbortController();
  const abort = () => connecting.abort();
  // Ends the body too, for as long as it is read.
  signal.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(abort, openTimeoutMs);
  try {
    return await open(connecting.signal);
  } catch (error) {
    signal.removeEventListener("abort", abort);
    signal.throwIfAborted();
    if (error instanceof ReplyGoneError) throw error;
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Gives up a connection that is silent for too long, or is none any more: a phone that slept is not told. */
function followConnection(network: Network) {
  const dropping = new AbortController();
  let heardAtMs = Date.now();
  const dropIfSilentFor = (ms: number) => {
    if (Date.now() - heardAtMs > ms) dropping.abort();
  };
  const timer = setInterval(() => dropIfSilentFor(silentAfterMs), goodAfterMs);
  // What was open before the network went or came is none any more, though nothing may tell so for minutes.
  const stopListening = network.onChange((change) =>
    change === "seen" ? dropIfSilentFor(doubtfulAfterMs) : dropping.abort(),
  );
  return {
    drop: dropping.signal,
    onBytes: () => void (heardAtMs = Date.now()),
    release(): void {
      clearInterval(timer);
      stopListening();
    },
  };
}
