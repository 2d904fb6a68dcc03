/**
 * One controller that fires when any of the signals does, with that signal's reason. The platform's own
 * `AbortSignal.any` and `AbortSignal.timeout` hold each other weakly on Node 20 and can be collected in the
 * middle of a stream; here every link is an ordinary listener, held until `unlink`.
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
