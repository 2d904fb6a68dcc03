import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerResponse } from "node:http";
import type { BeginOperation, Ongoing, Operation, OperationEnd } from "./operation";
import { nameFailure } from "./operation";
import { createRequestTimes } from "./request-times";
import type { RequestTimes } from "./request-times";
import type { Span, SpanExport } from "./span";

export type TracedRequest = {
  requestId: string;
  method: string;
  /** The pattern, never the path itself; null for pages and files. */
  route: string | null;
  traceParent: string | undefined;
  response: ServerResponse;
};

export type Tracing = {
  /** Whatever `work` begins, now or later, belongs to the request until its answer is over. */
  runRequest: (request: TracedRequest, work: () => void) => void;
  /** Outside a request, and after its end, there is nothing to see. */
  begin: BeginOperation;
  /** The same for work that may have parts of its own. */
  around: <T>(operation: Operation, work: () => Promise<T>) => Promise<T>;
  /** Pulls of an iterator may come from anywhere: these belong to the request in which this was called. */
  keep: <T>(events: AsyncIterable<T>) => AsyncIterable<T>;
  noteRefusal: (slug: string) => void;
};

type Request = { span: Span | null; times: RequestTimes | null; isOver: boolean };
/** Where in a request the running code is. */
type Place = { request: Request; parent: Span | null };
type KnownOngoing = Ongoing & { span: Span | null };

const nothing: KnownOngoing = { span: null, end: () => {} };
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Asked every few seconds by machines: they would bury everything else. */
const untracedRoutes = new Set<string | null>(["/healthz", "/readyz", "/metrics"]);

/** Follows requests through what they wait for. Made only where somebody looks: without it nothing is followed. */
export function createTracing({
  spans,
  hasServerTiming,
}: {
  spans: Pick<SpanExport, "beginRequest"> | null;
  hasServerTiming: boolean;
}): Tracing {
  const places = new AsyncLocalStorage<Place>();

  function begin(operation: Operation): KnownOngoing {
    const place = places.getStore();
    if (!place || place.request.isOver) return nothing;
    const { kind, name, attributes = {}, beganMsAgo = 0, within } = operation;
    const startedAtMs = nowMs() - beganMsAgo;
    const parent = (within as KnownOngoing | undefined)?.span ?? place.parent;
    const span = parent?.begin({ name, attributes, startedAtMs }) ?? null;
    // The time of a part is in that of the whole.
    const endTime = within ? undefined : place.request.times?.begin({ kind, startedAtMs });
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
    begin,
    runRequest(request, work) {
      const startedAtMs = nowMs();
      const span =
        spans && !untracedRoutes.has(request.route) ? beginSpan({ spans, request, startedAtMs }) : null;
      const times = hasServerTiming ? createRequestTimes(startedAtMs) : null;
      // Entering a place makes every promise of the process cost more: not for a request at which nobody looks.
      if (!span && !times) return work();
      const state: Request = { span, times, isOver: false };
      const { response } = request;
      if (times) showTimes(response, times);
      response.once("close", () => {
        state.isOver = true;
        if (span) endSpan(span, response);
      });
      places.run({ request: state, parent: span }, work);
    },
    async around(operation, work) {
      const place = places.getStore();
      const ongoing = begin(operation);
      if (!place || ongoing === nothing) return work();
      return await finish(ongoing, () => places.run({ request: place.request, parent: ongoing.span }, work));
    },
    keep(events) {
      const place = places.getStore();
      if (!place) return events;
      const iterator = events[Symbol.asyncIterator]();
      const kept: AsyncIterableIterator<Awaited<ReturnType<typeof iterator.next>>["value"]> = {
        [Symbol.asyncIterator]: () => kept,
        next: () => places.run(place, () => iterator.next()),
        return: () =>
          places.run(place, () => iterator.return?.() ?? Promise.resolve({ done: true, value: undefined })),
      };
      return kept;
    },
    noteRefusal: (slug) => places.getStore()?.request.span?.set({ "latchkey.refusal": slug }),
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

function beginSpan({
  spans,
  request: { method, route, requestId, traceParent },
  startedAtMs,
}: {
  spans: Pick<SpanExport, "beginRequest">;
  request: TracedRequest;
  startedAtMs: number;
}): Span | null {
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

/** At the last moment in which a header can be sent, whoever writes it. */
function showTimes(response: ServerResponse, times: RequestTimes): void {
  const writeHead = response.writeHead.bind(response) as (...parameters: unknown[]) => ServerResponse;
  response.writeHead = (...parameters: unknown[]) => {
    if (!response.headersSent) response.setHeader("Server-Timing", times.render(nowMs()));
    return writeHead(...parameters);
  };
}
