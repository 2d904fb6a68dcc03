/** Bytes that wait for the reader before the next event is pulled. */
const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 16 * 1024 });

/** One write is at most this and one event; more would be read ahead for a slow client. */
const maxWriteChars = 4 * 1024;

/** Keep-alive turns without reading after which the connection is closed. */
const maxStalledTurns = 4;

const endMark = "data: [DONE]\n\n";

const encoder = new TextEncoder();

export const eventStreamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // `no-transform` keeps compression from collecting events; see also proxies that buffer unless told.
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
 * The AI SDK's event stream. Events are pulled when the reader has room. When it cancels or stalls, or the signal fires,
 * the iterator is ended, exactly once. One that throws is a defect: the stream ends with `error` and `finish`.
 */
export function answerEventStream({
  events,
  ...options
}: StreamOptions & { events: AsyncIterable<object> }): Response {
  return answerStream(events[Symbol.asyncIterator](), encodeEvent, options);
}

/** `json` is an event of the stream; from the last id that it has seen a client can go on. */
export type NumberedEvent = { id: number; json: string };

/** Events that tell when there are more. */
export type EventSource = {
  /** Some of those that are there; none where there are none yet; null at the end. Throws `StreamCutOff`. */
  take: () => readonly NumberedEvent[] | null;
  /** From now on, called whenever there may be something to take. */
  onMore: (listener: () => void) => void;
  close: () => void;
};

/** The same stream of events with ids. */
export function answerNumberedEvents({
  source,
  ...options
}: StreamOptions & { source: EventSource }): Response {
  return answerStream(readSource(source), encodeNumberedEvents, options);
}

/** No generator: one that waits for its next event can't be ended. */
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

/** JSON escapes what would end a line, and half surrogates; the rest is escaped for readers that split on it. */
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

/** Thrown by events that go on elsewhere: the stream is cut off without its end mark, so that its reader comes back. */
export class StreamCutOff extends Error {
  override readonly name = "StreamCutOff";
  /** As of any connection that broke. */
  readonly code = "ECONNRESET";
}

function answerStream<Events>(
  events: AsyncIterator<Events>,
  encode: (events: Events) => string,
  options: StreamOptions,
): Response {
  const { signal, keepAliveMs = 15_000, headers, onFailure = () => undefined } = options;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let keepAlive: NodeJS.Timeout;
  let isOver = false;
  let stalledTurns = 0;
  /** Events of this turn of the loop, for one write. */
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

  /** Ends the events early. Their clean-up may fail. */
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
