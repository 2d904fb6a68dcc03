import { ShortLivedSet } from "./short-lived-set";

type Listener = () => void;

const listenersOf = new WeakMap<AbortSignal, ShortLivedSet<Listener>>();

/** For a signal that outlives its listeners by far. One that has fired tells nobody any more. Returns how to stop listening. */
export function listenBriefly(signal: AbortSignal, listener: Listener): () => void {
  const listeners = listenersOf.get(signal) ?? beginListening(signal);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function beginListening(signal: AbortSignal): ShortLivedSet<Listener> {
  const listeners = new ShortLivedSet<Listener>();
  listenersOf.set(signal, listeners);
  signal.addEventListener("abort", () => listeners.list().forEach((listener) => listener()), { once: true });
  return listeners;
}
