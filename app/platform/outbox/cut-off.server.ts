import type { DeliveryOutcome } from "./outbox";

/**
 * Runs an attempt that ends after `timeoutMs`, or when `signal` aborts, whatever it does. It is raced, not only
 * aborted: a client that forgets its signal must not hold a delivery forever.
 */
export async function withCutOff(
  timeoutMs: number,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<DeliveryOutcome>,
): Promise<DeliveryOutcome> {
  const aborter = new AbortController();
  let cut: (error: string) => void = () => undefined;
  const cutOff = new Promise<DeliveryOutcome>((resolve) => {
    cut = (error) => {
      resolve({ outcome: "retry", error });
      aborter.abort();
    };
  });
  const onStop = () => cut("stopped before the answer came");
  const timer = setTimeout(() => cut(`no answer within ${timeoutMs} ms`), timeoutMs);
  timer.unref();
  signal.addEventListener("abort", onStop);
  if (signal.aborted) onStop();
  try {
    // The cut-off comes first: an attempt that is told to stop may lose its own error to the race.
    return await Promise.race([cutOff, attempt(aborter.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onStop);
  }
}
