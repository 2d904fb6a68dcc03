/** Bytes queued for the reader before the next event is pulled. */
const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 16 * 1024 });

/** Maximum size of a write, beyond which a slow client would be read ahead for. */
const maxWriteChars = 4 * 1024;

/** Keep-alives without progress before the connection is closed. */
const maxStalledTurns = 4;

const endMark = "data: [DONE]\n\n";

const encoder = new TextEncoder();

export const eventStreamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // Compression and proxies would collect events.
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};

type StreamOptions = {
  signal: AbortSignal;
  keepAliveMs?: number;
  headers?: Record<string, string>;
  onFailure?: (error: unknown) => void;
};

/**
 * The AI SDK's event stream. Pulls events when the reader has room. Ends the iterator once, when the reader cancels or
 * stalls, or when the signal fires. If the iterator throws, the stream ends with `error` and `finish`.
 */
export function toEventStream({
  events,
  ...options
}: StreamOptions & { events: AsyncIterable<object> }): Response {
  return toStream(events[Symbol.asyncIterator](), encodeEvent, options);
}

/** A client can resume after the last ID that it has seen. */
export type NumberedEvent = { id: number; json: string };

export type EventSource = {
  /** The next events; empty if none are there yet, null at the end. Throws `StreamCutOff`. */
  take: () => readonly NumberedEvent[] | null;
  /** Called whenever there may be something to take. */
  onMore: (listener: () => void) => void;
  close: () => void;
};

/** The same stream, with event IDs. */
export function toNumberedEventStream({
  source,
  ...options
}: StreamOptions & { source: EventSource }): Response {
  return toStream(readSource(source), encodeNumberedEvents, options);
}

/** Not a generator: one that waits can't be ended. */
function readSource(source: EventSource): AsyncIterator<readonly NumberedEvent[]> {
  return {
    async next() {
      for (;;) {
        const value = source.take();
        if (value === null) return { done: true, value };
        if (value.length > 0) return { done: false, value };
        await new Promise<void>((resolve) => source.onMore(resolve));
      }
    },
    async return() {
      source.close();
      return { done: true, value: null };
    },
  };
}

/** Escapes the line ends that JSON doesn't. */
export function toEventJson(event: object): string {
  return JSON.stringify(event).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function encodeEvent(event: object): string {
  return `data: ${toEventJson(event)}\n\n`;
}

const brokenOff =
  [{ type: "error", errorText: "The answer broke off." }, { type: "finish" }].map(encodeEvent).join("") +
  endMark;

function encodeNumberedEvents(events: readonly NumberedEvent[]): string {
  return events.map(({ id, json }) => `id: ${id}\ndata: ${json}\n\n`).join("");
}

/** Cuts the stream off without its end mark, so that the reader reconnects. */
export class StreamCutOff extends Error {
  override readonly name = "StreamCutOff";
  readonly code = "ECONNRESET";
}

function toStream<Events>(
  events: AsyncIterator<Events>,
  encode: (events: Events) => string,
  options: StreamOptions,
): Response {
  const { signal, keepAliveMs = 15_000, headers, onFailure = () => undefined } = options;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let keepAlive: NodeJS.Timeout;
  let isOver = false;
  let stalledTurns = 0;
  /** Events of this loop turn, for one write. */
  let waiting = "";

  const room = () => Math.min(maxWriteChars, controller.desiredSize ?? 0);
  const onAbort = () => cutOff(signal.reason);

  function send(text: string): void {
    if (text !== "") controller.enqueue(encoder.encode(text));
  }

  function flush(): void {
    if (!isOver) send(waiting);
    waiting = "";
  }

  function release(): void {
    isOver = true;
    clearInterval(keepAlive);
    signal.removeEventListener("abort", onAbort);
  }

  function end(text: string): void {
    send(text);
    release();
    controller.close();
  }

  async function abandon(): Promise<void> {
    if (isOver) return;
    release();
    try {
      await events.return?.();
    } catch (error) {
      onFailure(error);
    }
  }

  function cutOff(reason: unknown): void {
    if (isOver) return;
    void abandon();
    controller.error(reason);
  }

  function checkReader(): void {
    stalledTurns = room() > 0 ? 0 : stalledTurns + 1;
    if (stalledTurns === 0) send(": keep-alive\n\n");
    else if (stalledTurns >= maxStalledTurns)
      cutOff(new Error("The reader of an event stream takes nothing"));
  }

  async function pull(): Promise<void> {
    try {
      while (waiting.length < room()) {
        const { done, value } = await events.next();
        if (isOver) return;
        if (done) return end(waiting + endMark);
        if (waiting === "") setImmediate(flush);
        waiting += encode(value);
      }
      flush();
    } catch (error) {
      if (isOver) return;
      flush();
      if (!(error instanceof StreamCutOff)) {
        onFailure(error);
        return end(brokenOff);
      }
      release();
      throw error;
    }
  }

  function start(ownController: typeof controller): void {
    controller = ownController;
    keepAlive = setInterval(checkReader, keepAliveMs).unref();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  }

  const body = new ReadableStream<Uint8Array>({ start, pull, cancel: abandon }, strategy);
  return new Response(body, { headers: { ...headers, ...eventStreamHeaders } });
}
