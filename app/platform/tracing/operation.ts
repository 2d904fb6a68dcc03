export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** What a request waits for. Developers see each kind's time in `Server-Timing`, operators each operation as a span. */
export type OperationKind = "chain" | "database" | "provider" | "redis" | "tool";

export type Operation = {
  kind: OperationKind;
  /** From a small set, never from a client's input. */
  name: string;
  /** Nothing secret and nothing about a person: what is in here leaves the machine. */
  attributes?: Attributes;
  /** For an operation that is recorded after its end. */
  beganMsAgo?: number;
  /** Its parent. Default: the request's current operation. */
  within?: Ongoing;
};

export type OperationEnd = {
  /** The kind of failure, as a word: never a message, which may quote what was sent. */
  error?: string;
  attributes?: Attributes;
};

export type Ongoing = { end: (outcome?: OperationEnd) => void };

export type BeginOperation = (operation: Operation) => Ongoing;

/** A failure's class, where nothing more may be told. */
export function nameFailure(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  return /^[A-Za-z]\w{0,63}$/.test(name) ? name : "Error";
}

export type SpanStart = { name: string; attributes: Attributes; startedAtMs: number };

/** A span that was begun. Moments are milliseconds since the epoch, with fractions. */
export type Span = {
  begin: (start: SpanStart) => Span | null;
  set: (attributes: Attributes) => void;
  end: (end: OperationEnd & { endedAtMs: number }) => void;
};

/** How many spans came to what end. `dropped`: there was no room for them; `failed`: the collector did not take them. */
export type SpanCounts = { sent: number; dropped: number; failed: number };

export type SpanExport = {
  /** `traceParent`: the caller's W3C header, where the caller is trusted. Null: this request is not sampled. */
  beginRequest: (start: SpanStart & { traceParent: string | undefined }) => Span | null;
  readCounts: () => SpanCounts;
  /** Sends what is left, and waits a moment for it and no longer. */
  stop: () => Promise<void>;
};
