import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";

type SpanOptions = {
  /** From a small set, never from a client's input. */
  name: string;
  /** Only those that `tracing.gateway.server.ts` allows leave the machine. */
  attributes: Attributes;
  /** For work that is recorded after its end. */
  beganMsAgo?: number;
};

/** `error`: the kind of failure. A message may quote the input. */
type SpanEnd = { error?: string; attributes?: Attributes };

/** A child of the active span. Does nothing if traces are off. */
export function beginSpan({ name, attributes, beganMsAgo }: SpanOptions) {
  // Whole milliseconds, as the parent's start, so that a span never begins before its parent.
  const startTime = beganMsAgo === undefined ? undefined : Date.now() - Math.floor(beganMsAgo);
  const span = trace.getTracer("latchkey").startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime });
  return {
    span,
    end(end: SpanEnd = {}): void {
      if (end.attributes) span.setAttributes(end.attributes);
      if (end.error !== undefined)
        span.setAttribute("error.type", end.error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Everything that `work` begins is a child of this span. */
export async function inSpan<T>(options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const { span, end } = beginSpan(options);
  try {
    const result = await context.with(trace.setSpan(context.active(), span), work);
    end();
    return result;
  } catch (error) {
    end({ error: nameFailure(error) });
    throw error;
  }
}

/** Binds pulls of an iterator to the request that called this. */
export function keepSpan<T>(events: AsyncIterable<T>): AsyncIterable<T> {
  if (!trace.getActiveSpan()) return events;
  const active = context.active();
  const iterator = events[Symbol.asyncIterator]();
  const over = { done: true, value: undefined } as const;
  const kept: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => kept,
    next: context.bind(active, () => iterator.next()),
    return: context.bind(active, async () => (await iterator.return?.()) ?? over),
  };
  return kept;
}

/** The class of a failure. Nothing more may leave the machine. */
export function nameFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  return /^[A-Za-z]\w{0,63}$/.test(name) ? name : "Error";
}
