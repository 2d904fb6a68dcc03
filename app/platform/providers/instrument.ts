type ProviderCall = {
  /** Its purpose, such as `chat`. */
  kind: string;
  provider: string;
  /** From the configuration, not from the request. */
  model?: string;
};

export type ProviderOutcome = "ok" | "error" | "cancelled";

/** Observes one call. */
export type ProviderInstrument = (call: ProviderCall) => {
  /** The first part of the response has arrived. */
  first: () => void;
  /** Only the first call counts. */
  end: (outcome: ProviderOutcome, error?: unknown) => void;
};

/** Also if it is only the cause. The name is the platform's own for timeouts. */
export function isTimeout(error: unknown, maxCauses = 5): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "TimeoutError" || (maxCauses > 0 && isTimeout(error.cause, maxCauses - 1));
}

type InstrumentCallOptions<T> = {
  instrument: ProviderInstrument;
  call: ProviderCall;
  /** Once it has fired, a failure counts as cancelled. */
  signal?: AbortSignal;
  work: () => Promise<T>;
};

export async function instrumentCall<T>(options: InstrumentCallOptions<T>): Promise<T> {
  const { instrument, call, signal } = options;
  const begun = instrument(call);
  try {
    const result = await options.work();
    begun.end("ok");
    return result;
  } catch (error) {
    begun.end(signal?.aborted ? "cancelled" : "error", error);
    throw error;
  }
}

type InstrumentIterationOptions<T> = {
  events: AsyncIterable<T>;
  /** Called with the first pull. */
  begin: () => ReturnType<ProviderInstrument>;
  isLast?: (event: T) => boolean;
  signal: AbortSignal;
};

/** The same events. Pulls only when pulled, and adds at most one turn of the loop to each. */
export function instrumentIteration<T>(options: InstrumentIterationOptions<T>): AsyncIterableIterator<T> {
  const { begin, isLast = () => false, signal } = options;
  const iterator = options.events[Symbol.asyncIterator]();
  let call: ReturnType<ProviderInstrument> | null = null;
  let hasBegun = false;
  const iteration: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => iteration,
    async next() {
      call ??= begin();
      try {
        const result = await iterator.next();
        if (!hasBegun && !result.done) call.first();
        hasBegun = true;
        if (result.done || isLast(result.value)) call.end("ok");
        return result;
      } catch (error) {
        call.end(signal.aborted ? "cancelled" : "error", error);
        throw error;
      }
    },
    async return() {
      const result = await iterator.return?.();
      call?.end("cancelled");
      return result ?? { done: true, value: undefined };
    },
  };
  return iteration;
}
