import { linkAbort } from "~/platform/time/linked-abort";
import type { DeliveryOutcome } from "./outbox";

/** Raced, not only aborted: a client that forgets its signal must not hold a delivery forever. */
export async function withCutOff(
  timeoutMs: number,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<DeliveryOutcome>,
): Promise<DeliveryOutcome> {
  const { controller, unlink } = linkAbort([signal]);
  const timer = setTimeout(() => controller.abort(), timeoutMs).unref();
  const cutOff = new Promise<DeliveryOutcome>((resolve) => {
    const cut = () => {
      const error = signal.aborted ? "stopped before the answer came" : `no answer within ${timeoutMs} ms`;
      resolve({ outcome: "retry", error });
    };
    if (signal.aborted) cut();
    else controller.signal.addEventListener("abort", cut, { once: true });
  });
  try {
    // The cut-off comes first: an attempt that is told to stop may lose its own error to the race.
    return await Promise.race([cutOff, attempt(controller.signal)]);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}
