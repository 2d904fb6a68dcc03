/** Bytes that wait for the reader before the next event is pulled. */
const highWaterMarkBytes = 16 * 1024;

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
  return answerStream(pullEvents(events), options);
}

/** `json` is an event of the stream; from the last id that it has seen a client can go on. */
export type NumberedEvent = { id: number; json: string };

/** Events that tell when there are more: to wait for each with a promise would cost more than all else that is done with it. */
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
  return answerStream(pushEvents(source), options);
}

function answerStream(writer: Writer, options: StreamOptions): Response {
  const headers = Object.assign({}, options.headers, eventStreamHeaders);
  return new Response(createBody(writer, options), { headers });
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
  let text = "";
  for (const { id, json } of events) text += `id: ${id}\ndata: ${json}\n\n`;
  return text;
}

/** Thrown by events that go on elsewhere: the stream is cut off without its end mark, so that its reader comes back. */
export class StreamCutOff extends Error {
  override readonly name = "StreamCutOff";
  /** As of any connection that broke. */
  readonly code = "ECONNRESET";
}

type Body = {
  isOver: () => boolean;
  /** How many characters the next write may have. */
  room: () => number;
  send: (text: string) => void;
  end: (text: string) => void;
};

/** `pull` writes until there is no room, or the end; it is called again when there is. */
type Writer = { pull: (body: Body) => Promise<void>; stop: () => unknown };

function pullEvents(events: AsyncIterable<object>): Writer {
  const iterator = events[Symbol.asyncIterator]();
  /** Events of this tick of the loop: one write for each costs more than all else that is done with it. */
  let waiting = "";

  function flush(body: Body): void {
    if (!body.isOver()) body.send(waiting);
    waiting = "";
  }

  return {
    async pull(body) {
      try {
        for (;;) {
          if (waiting.length >= body.room()) return flush(body);
          const { done, value } = await iterator.next();
          if (body.isOver()) return;
          if (done) break;
          if (waiting === "") setImmediate(flush, body);
          waiting += encodeEvent(value);
        }
      } catch (error) {
        flush(body);
        throw error;
      }
      body.end(waiting + endMark);
    },
    stop: () => iterator.return?.(),
  };
}

function pushEvents(source: EventSource): Writer {
  function pull(body: Body, resolve: () => void, reject: (error: unknown) => void): void {
    function sendOn(): void {
      if (body.isOver()) return;
      let text = "";
      try {
        while (text.length < body.room()) {
          const events = source.take();
          if (events === null) return body.end(text + endMark);
          if (events.length === 0) return body.send(text);
          text += encodeNumberedEvents(events);
        }
        source.onMore(() => undefined);
        body.send(text);
        resolve();
      } catch (error) {
        body.send(text);
        reject(error);
      }
    }
    source.onMore(sendOn);
    sendOn();
  }
  return {
    pull: (body) => new Promise((resolve, reject) => pull(body, resolve, reject)),
    stop: () => source.close(),
  };
}

function createBody(writer: Writer, options: StreamOptions): ReadableStream<Uint8Array> {
  const { signal, keepAliveMs = 15_000, onFailure = () => undefined } = options;
  let isOver = false;
  let keepAlive: NodeJS.Timeout | undefined;
  let onAbort = () => {};

  function release(): void {
    isOver = true;
    clearInterval(keepAlive);
    signal.removeEventListener("abort", onAbort);
  }

  /** Stops the writer early. Its clean-up may fail. */
  async function abandon(): Promise<void> {
    if (isOver) return;
    release();
    try {
      await writer.stop();
    } catch (error) {
      onFailure(error);
    }
  }

  function openBody(controller: ReadableStreamDefaultController<Uint8Array>): Body {
    const send = (text: string) => {
      if (text !== "") controller.enqueue(encoder.encode(text));
    };
    return {
      isOver: () => isOver,
      room: () => Math.min(maxWriteChars, controller.desiredSize ?? 0),
      send,
      end: (text) => {
        send(text);
        release();
        controller.close();
      },
    };
  }

  let body: Body;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body = openBody(controller);
        onAbort = () => {
          if (isOver) return;
          void abandon();
          controller.error(signal.reason);
        };
        const onTurn = () => body.send(": keep-alive\n\n");
        const onStall = () => {
          void abandon();
          controller.error(new Error("The reader of an event stream takes nothing"));
        };
        keepAlive = checkReader({ controller, everyMs: keepAliveMs, onTurn, onStall });
        signal.addEventListener("abort", onAbort, { once: true });
        if (signal.aborted) onAbort();
      },
      async pull() {
        try {
          await writer.pull(body);
        } catch (error) {
          if (isOver) return;
          if (error instanceof StreamCutOff) {
            release();
            throw error;
          }
          onFailure(error);
          body.end(brokenOff);
        }
      },
      cancel: abandon,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: highWaterMarkBytes }),
  );
}

type ReaderCheck = {
  controller: ReadableStreamDefaultController;
  everyMs: number;
  onTurn: () => void;
  onStall: () => void;
};

function checkReader({ controller, everyMs, onTurn, onStall }: ReaderCheck): NodeJS.Timeout {
  let stalledTurns = 0;
  function look(): void {
    stalledTurns = (controller.desiredSize ?? 0) > 0 ? 0 : stalledTurns + 1;
    if (stalledTurns === 0) onTurn();
    else if (stalledTurns >= maxStalledTurns) onStall();
  }
  return setInterval(look, everyMs).unref();
}
