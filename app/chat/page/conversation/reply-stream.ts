import { readChatStream } from "./chat-stream";
import type { StreamedEvent } from "./chat-stream";
import { backoffMs, pause } from "./network";
import type { Network } from "./network";

/** Maximum consecutive failed connections. */
const maxFailures = 12;
/** A connection that lasted this long resets the count. */
const goodAfterMs = 5_000;
/** The server sends something every 15 s. */
const silentAfterMs = 40_000;
const doubtfulAfterMs = 20_000;
const openTimeoutMs = 15_000;
const longestRetryAfterMs = 60_000;

/** The server has no such reply: it ended too long ago, or resuming is switched off. */
export class ReplyGoneError extends Error {
  override readonly name = "ReplyGoneError";
}

type ReplyStreamOptions = {
  /** The connection on which the reply began; null to resume it. */
  body: ReadableStream<Uint8Array> | null;
  /** Requests the events after the last one taken. Null if a reply ends with its connection. */
  reopen: ((signal: AbortSignal) => Promise<Response>) | null;
  /** Whether the server may not have begun the reply yet. */
  mayBegin: () => boolean;
  readRefusal: (response: Response) => Promise<Error>;
  signal: AbortSignal;
  network: Network;
  onLost: (isLost: boolean) => void;
};

/** The events of one reply, over as many connections as it takes. */
export async function* readReplyStream(options: ReplyStreamOptions): AsyncGenerator<StreamedEvent> {
  const { reopen, mayBegin, signal, network, onLost } = options;
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
        if (signal.aborted || !reopen) throw error;
      } finally {
        connection.release();
      }
      signal.throwIfAborted();
      if (Date.now() - openedAtMs >= goodAfterMs) failures = 0;
      // A connection that was dropped here is no failure.
      if (!connection.drop.aborted) failures += 1;
    }
    onLost(true);
    body = await reconnect(reopen!);
    onLost(false);
  }

  async function reconnect(open: NonNullable<typeof reopen>): Promise<ReadableStream<Uint8Array>> {
    let retryAfterMs = 0;
    for (;;) {
      if (failures >= maxFailures) throw new Error("The connection to the reply is lost.");
      await pause(Math.max(backoffMs(failures), retryAfterMs), network, signal);
      const response = await openInTime(open, signal);
      if (response?.status === 200 && response.body) return response.body;
      const isGone = response?.status === 404 || (response?.status === 204 && !mayBegin());
      if (isGone) throw new ReplyGoneError("Nothing is kept.");
      if (response && response.status >= 400 && response.status < 500 && response.status !== 429) {
        throw await options.readRefusal(response);
      }
      const retryAfterSeconds = Number(response?.headers.get("Retry-After") ?? 0) || 0;
      retryAfterMs = Math.min(retryAfterSeconds * 1_000, longestRetryAfterMs);
      failures += 1;
    }
  }
}

/** Null on a failed connection or a timeout. */
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
  } catch {
    signal.removeEventListener("abort", abort);
    signal.throwIfAborted();
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Drops a connection that is silent for too long. A phone that slept isn't told that its connections died. */
function followConnection(network: Network) {
  const dropping = new AbortController();
  let heardAtMs = Date.now();
  const dropIfSilentFor = (ms: number) => {
    if (Date.now() - heardAtMs > ms) dropping.abort();
  };
  const timer = setInterval(() => dropIfSilentFor(silentAfterMs), goodAfterMs);
  // A network change kills open connections, and the browser may not notice for minutes.
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
