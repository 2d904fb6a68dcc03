/**
 * One controller that aborts with the first of the signals. `AbortSignal.any` and `AbortSignal.timeout` hold each other
 * weakly on Node 20 and can be collected in the middle of a stream; these listeners are held until `unlink`.
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
