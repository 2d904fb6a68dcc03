import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import type { BeginOperation, Ongoing, Operation, OperationEnd, Span, SpanExport } from "./operation";
import { nameFailure } from "./operation";
import { createRequestTimes } from "./request-times";
import type { RequestTimes } from "./request-times";

export type TracedRequest = {
  requestId: string;
  method: string;
  /** The pattern, never the path itself; null for pages and files. */
  route: string | null;
  traceParent: string | undefined;
  response: ServerResponse;
};

export type Tracing = ReturnType<typeof createTracing>;

type Request = { span: Span | null; times: RequestTimes | null; isOver: boolean };
/** Where in a request the running code is. */
type Position = { request: Request; parent: Span | null };
type KnownOngoing = Ongoing & { span: Span | null };

const nothing: KnownOngoing = { span: null, end: () => {} };
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Asked every few seconds by machines: they would bury everything else. */
const untracedRoutes = new Set<string | null>(["/healthz", "/readyz", "/metrics"]);

type BeginSpans = Pick<SpanExport, "beginRequest">;
type TracingOptions = { spans: BeginSpans | null; hasServerTiming: boolean };

/** Traces what requests wait for. Made only where tracing is on; without it nothing is traced. */
export function createTracing({ spans, hasServerTiming }: TracingOptions) {
  const positions = new AsyncLocalStorage<Position>();

  function begin(operation: Operation): KnownOngoing {
    const position = positions.getStore();
    if (!position || position.request.isOver) return nothing;
    const { kind, name, attributes = {}, beganMsAgo = 0, within } = operation;
    const startedAtMs = nowMs() - beganMsAgo;
    const parent = (within as KnownOngoing | undefined)?.span ?? position.parent;
    const span = parent?.begin({ name, attributes, startedAtMs }) ?? null;
    // The time of a part is in that of the whole.
    const endTime = within ? undefined : position.request.times?.begin({ kind, startedAtMs });
    return {
      span,
      end(outcome = {}) {
        const endedAtMs = nowMs();
        endTime?.(endedAtMs);
        span?.end({ ...outcome, endedAtMs });
      },
    };
  }

  return {
    /** Outside a request, and after its end, there is nothing to see. */
    begin: begin as BeginOperation,
    /** Whatever `work` begins, now or later, belongs to the request until its answer is over. */
    runRequest(request: TracedRequest, work: () => void): void {
      const startedAtMs = nowMs();
      const isTraced = !untracedRoutes.has(request.route);
      const span = spans && isTraced ? beginSpan(spans, request, startedAtMs) : null;
      const times = hasServerTiming ? createRequestTimes(startedAtMs) : null;
      // Entering a position makes every promise of the process cost more: not for a request that nobody traces.
      if (!span && !times) return work();
      const state: Request = { span, times, isOver: false };
      const { response } = request;
      if (times) showTimes(response, times);
      response.once("close", () => {
        state.isOver = true;
        if (span) endSpan(span, response);
      });
      positions.run({ request: state, parent: span }, work);
    },
    /** The same as `begin` for work that may have parts of its own. */
    async around<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
      const position = positions.getStore();
      const ongoing = begin(operation);
      if (!position || ongoing === nothing) return work();
      return await finish(ongoing, () =>
        positions.run({ request: position.request, parent: ongoing.span }, work),
      );
    },
    /** Pulls of an iterator may come from anywhere: these belong to the request in which this was called. */
    keep<T>(events: AsyncIterable<T>): AsyncIterable<T> {
      const position = positions.getStore();
      if (!position) return events;
      const iterator = events[Symbol.asyncIterator]();
      const kept: AsyncIterableIterator<T> = {
        [Symbol.asyncIterator]: () => kept,
        next: () => positions.run(position, () => iterator.next()),
        return: () =>
          positions.run(
            position,
            () => iterator.return?.() ?? Promise.resolve({ done: true, value: undefined }),
          ),
      };
      return kept;
    },
    noteRefusal: (slug: string) => positions.getStore()?.request.span?.set({ "latchkey.refusal": slug }),
  };
}

/** The monotonic clock, told as a moment: durations stay right when the machine's clock is set. */
function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

async function finish<T>(ongoing: Ongoing, work: () => Promise<T>): Promise<T> {
  let outcome: OperationEnd = {};
  try {
    return await work();
  } catch (error) {
    outcome = { error: nameFailure(error) };
    throw error;
  } finally {
    ongoing.end(outcome);
  }
}

function beginSpan(spans: BeginSpans, request: TracedRequest, startedAtMs: number): Span | null {
  const { method, route, requestId, traceParent } = request;
  const knownMethod = methods.has(method) ? method : "_OTHER";
  const pattern = route ?? "page";
  return spans.beginRequest({
    name: `${knownMethod === "_OTHER" ? "HTTP" : knownMethod} ${pattern}`,
    attributes: {
      "http.request.method": knownMethod,
      "http.route": pattern,
      "latchkey.request_id": requestId,
    },
    startedAtMs,
    traceParent,
  });
}

/** When the connection is done with the answer: of a stream, after its last byte. */
function endSpan(span: Span, response: ServerResponse): void {
  const { statusCode, writableFinished } = response;
  span.end({
    attributes: {
      "http.response.status_code": statusCode,
      ...(!writableFinished && { "latchkey.cut_off": true }),
    },
    ...(statusCode >= 500 && { error: String(statusCode) }),
    endedAtMs: nowMs(),
  });
}

/** At the last moment in which a header can be sent. */
function showTimes(response: ServerResponse, times: RequestTimes): void {
  const writeHead = response.writeHead.bind(response) as (...parameters: unknown[]) => ServerResponse;
  response.writeHead = (...parameters: unknown[]) => {
    if (!response.headersSent) response.setHeader("Server-Timing", times.render(nowMs()));
    return writeHead(...parameters);
  };
}
