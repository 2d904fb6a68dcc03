import type { Attributes, OperationEnd } from "./operation";

export type SpanStart = { name: string; attributes: Attributes; startedAtMs: number };

/** A span that was begun. Moments are milliseconds since the epoch, with fractions. */
export type Span = {
  begin: (start: SpanStart) => Span | null;
  set: (attributes: Attributes) => void;
  end: (end: OperationEnd & { endedAtMs: number }) => void;
};

/** How many spans came to what end. `dropped`: there was no room for them; `failed`: the collector did not take them. */
export type SpanCounts = { sent: number; dropped: number; failed: number };

/** Where spans go. */
export type SpanExport = {
  /** `traceParent`: the caller's W3C header, where the caller is believed. Null: this request is not sampled. */
  beginRequest: (start: SpanStart & { traceParent: string | undefined }) => Span | null;
  readCounts: () => SpanCounts;
  /** Sends what is left, and waits a moment for it and no longer. */
  stop: () => Promise<void>;
};
