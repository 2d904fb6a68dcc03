/**
 * Aborts with the first of the signals. On Node 20 the garbage collector can lose `AbortSignal.any` and
 * `AbortSignal.timeout` in the middle of a stream. These listeners stay until `unlink`.
 */
export function linkAbort(signals: readonly AbortSignal[]): {
  controller: AbortController;
  unlink: () => void;
} {
  const controller = new AbortController();
  const links = signals.map((signal) => ({ signal, listener: () => controller.abort(signal.reason) }));
  for (const { signal, listener } of links) {
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
  }
  return {
    controller,
    unlink: () => links.forEach(({ signal, listener }) => signal.removeEventListener("abort", listener)),
  };
}
