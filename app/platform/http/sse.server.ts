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

type EventStreamOptions<Event extends object> = {
  events: AsyncIterable<Event>;
  /**
   * As it is sent, with what else is there already, such as the end. Default: its JSON, in one write with what else comes in
   * the same tick of the loop.
   */
  encode?: (event: Event) => string;
  signal: AbortSignal;
  keepAliveMs?: number;
  headers?: Record<string, string>;
  onFailure?: (error: unknown) => void;
};

/**
 * The AI SDK's event stream. Events are pulled when the reader has room. When it cancels or stalls, or the signal fires,
 * the iterator is ended, exactly once. One that throws is a defect: the stream ends with `error` and `finish`.
 */
export function answerEventStream<Event extends object>(options: EventStreamOptions<Event>): Response {
  const headers = Object.assign({}, options.headers, eventStreamHeaders);
  return new Response(createEventBody(options), { headers });
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

/** With ids, from which a client can go on. */
export function encodeNumberedEvents(events: readonly { id: number; json: string }[]): string {
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

function createEventBody<Event extends object>(
  options: EventStreamOptions<Event>,
): ReadableStream<Uint8Array> {
  const { events, encode = encodeEvent, signal, keepAliveMs = 15_000, onFailure = () => undefined } = options;
  const flushLater = options.encode ? process.nextTick : setImmediate;
  const iterator = events[Symbol.asyncIterator]();
  let isOver = false;
  let keepAlive: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  /** Events of this tick of the loop: one write for each costs more than all else that is done with it. */
  let waiting = "";

  function flush(controller: ReadableStreamDefaultController<Uint8Array>, last = ""): void {
    const text = waiting + last;
    waiting = "";
    if (text !== "") controller.enqueue(encoder.encode(text));
  }

  function release(): void {
    isOver = true;
    waiting = "";
    clearInterval(keepAlive);
    signal.removeEventListener("abort", onAbort);
  }

  /** Ends the iterator early. Its clean-up may fail. */
  async function abandon(): Promise<void> {
    if (isOver) return;
    release();
    try {
      await iterator.return?.();
    } catch (error) {
      onFailure(error);
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          if (isOver) return;
          void abandon();
          controller.error(signal.reason);
        };
        const onTurn = () => flush(controller, ": keep-alive\n\n");
        const onStall = () => {
          void abandon();
          controller.error(new Error("The reader of an event stream takes nothing"));
        };
        keepAlive = checkReader({ controller, everyMs: keepAliveMs, onTurn, onStall });
        signal.addEventListener("abort", onAbort, { once: true });
        if (signal.aborted) onAbort();
      },
      async pull(controller) {
        let last = endMark;
        try {
          for (;;) {
            if (waiting.length >= Math.min(maxWriteChars, controller.desiredSize ?? 0))
              return flush(controller);
            const { done, value } = await iterator.next();
            if (isOver) return;
            if (done) break;
            if (waiting === "") flushLater(flush, controller);
            waiting += encode(value);
          }
        } catch (error) {
          if (isOver) return;
          if (error instanceof StreamCutOff) {
            flush(controller);
            release();
            throw error;
          }
          onFailure(error);
          last = brokenOff;
        }
        flush(controller, last);
        release();
        controller.close();
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
