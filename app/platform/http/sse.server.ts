/** Bytes that wait for the reader before the next event is pulled. */
const highWaterMarkBytes = 16 * 1024;

/** A reader who takes nothing for so many keep-alive turns is treated as gone: its connection is cut. */
const maxStalledTurns = 4;

const endMark = "data: [DONE]\n\n";

const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // `no-transform` keeps compression from collecting events; see also proxies that buffer unless told.
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};

type AnswerEventStreamOptions = {
  events: AsyncIterable<object>;
  signal: AbortSignal;
  keepAliveMs?: number;
  headers?: Record<string, string>;
  onFailure?: (error: unknown) => void;
};

/**
 * Answers with the AI SDK's event stream: one JSON object a `data:` line, `[DONE]` at the end. Events are
 * pulled when the reader has room and never ahead of it by more than one. When the reader cancels, the signal
 * fires or the reader has stalled, the events' iterator is ended, exactly once.
 *
 * An iterator that throws is a defect: the stream then ends with `error`, `finish` and the end mark, and
 * `onFailure` is told.
 */
export function answerEventStream({
  events,
  signal,
  keepAliveMs = 15_000,
  headers = {},
  onFailure = () => undefined,
}: AnswerEventStreamOptions): Response {
  const body = createEventBody({ events, signal, keepAliveMs, onFailure });
  return new Response(body, { headers: { ...headers, ...streamHeaders } });
}

/** JSON escapes what would end a line, and half surrogates; the rest is escaped for readers that split on it. */
export function encodeEvent(event: object): string {
  const json = JSON.stringify(event).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `data: ${json}\n\n`;
}

type BodyOptions = {
  events: AsyncIterable<object>;
  signal: AbortSignal;
  keepAliveMs: number;
  onFailure: (error: unknown) => void;
};

function createEventBody({
  events,
  signal,
  keepAliveMs,
  onFailure,
}: BodyOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  let isOver = false;
  let keepAlive: NodeJS.Timeout | undefined;
  let onAbort = () => {};

  function release(): void {
    isOver = true;
    clearInterval(keepAlive);
    signal.removeEventListener("abort", onAbort);
  }

  /** Ends the iterator early. Its own clean-up may fail; nobody is left to be told but the log. */
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
        let stalledTurns = 0;
        keepAlive = setInterval(() => {
          stalledTurns = (controller.desiredSize ?? 0) > 0 ? 0 : stalledTurns + 1;
          if (stalledTurns === 0) controller.enqueue(encoder.encode(": keep-alive\n\n"));
          else if (stalledTurns >= maxStalledTurns) {
            void abandon();
            controller.error(new Error("The reader of an event stream takes nothing"));
          }
        }, keepAliveMs);
        keepAlive.unref();
        signal.addEventListener("abort", onAbort, { once: true });
        if (signal.aborted) onAbort();
      },
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (isOver) return;
          if (!done) return controller.enqueue(encoder.encode(encodeEvent(value)));
          release();
          controller.enqueue(encoder.encode(endMark));
        } catch (error) {
          if (isOver) return;
          release();
          onFailure(error);
          const last = [{ type: "error", errorText: "The answer broke off." }, { type: "finish" }];
          controller.enqueue(encoder.encode(last.map(encodeEvent).join("") + endMark));
        }
        controller.close();
      },
      cancel: abandon,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: highWaterMarkBytes }),
  );
}
