/** A request to something outside that answers in its own time: a model, a voice, an embedder, a search store. */
export type ProviderCall = {
  /** What for, such as `chat`. */
  kind: string;
  provider: string;
  /** Of the configuration, not of the request. */
  model?: string;
};

export type ProviderOutcome = "ok" | "error" | "cancelled";

/** Told when a call begins; what it gives back is told the rest. */
export type ProviderWatch = (call: ProviderCall) => {
  /** The first of the answer is there. */
  first: () => void;
  /** Only the first time counts. */
  end: (outcome: ProviderOutcome, error?: unknown) => void;
};

/** `signal`: once it has fired, a failure is nobody's fault. */
export async function watchCall<T>({
  watch,
  call,
  signal,
  work,
}: {
  watch: ProviderWatch;
  call: ProviderCall;
  signal?: AbortSignal;
  work: () => Promise<T>;
}): Promise<T> {
  const watched = watch(call);
  try {
    const result = await work();
    watched.end("ok");
    return result;
  } catch (error) {
    watched.end(signal?.aborted ? "cancelled" : "error", error);
    throw error;
  }
}

/**
 * The same events. Asks for nothing that is not asked of it, and adds no turn of its own to a pull but the one that
 * waiting for it takes.
 */
export function watchIteration<T>({
  events,
  watched,
  isLast = () => false,
  signal,
}: {
  events: AsyncIterable<T>;
  /** Called with the first pull. */
  watched: () => ReturnType<ProviderWatch>;
  /** Whether nothing is expected after this one. */
  isLast?: (event: T) => boolean;
  signal: AbortSignal;
}): AsyncIterableIterator<T> {
  const iterator = events[Symbol.asyncIterator]();
  let call: ReturnType<ProviderWatch> | null = null;
  let hasBegun = false;
  const iteration: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => iteration,
    async next() {
      call ??= watched();
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
