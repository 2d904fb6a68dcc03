type NetworkChange = "online" | "offline" | "seen";

/** The browser's connection, and whether the page is visible again. */
export type Network = {
  isOnline: () => boolean;
  /** Returns a function that unsubscribes. */
  onChange: (listener: (change: NetworkChange) => void) => () => void;
};

export const browserNetwork: Network = {
  isOnline: () => navigator.onLine,
  onChange(listener) {
    const ending = new AbortController();
    const { signal } = ending;
    for (const change of ["online", "offline"] as const) {
      window.addEventListener(change, () => listener(change), { signal });
    }
    const onVisibility = () => document.hidden || listener("seen");
    document.addEventListener("visibilitychange", onVisibility, { signal });
    // After the browser has frozen the page.
    document.addEventListener("resume", onVisibility, { signal });
    return () => ending.abort();
  },
};

const firstPauseMs = 500;
const longestPauseMs = 15_000;

/** Doubles with each failure, with jitter, so that many pages don't return to a server at once. */
export function backoffMs(failures: number): number {
  if (failures === 0) return 0;
  const wholeMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  return wholeMs * (0.5 + Math.random() / 2);
}

/** Ends early if the connection is back or the page is visible again. Offline, it lasts until then. */
export function pause(ms: number, network: Network, signal?: AbortSignal): Promise<void> {
  if (ms === 0 && network.isOnline()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, ms);
    const stopListening = network.onChange(end);
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted) leave();

    function end(): void {
      if (!network.isOnline()) return;
      release();
      resolve();
    }
    function leave(): void {
      release();
      reject(signal?.reason as Error);
    }
    function release(): void {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener("abort", leave);
    }
  });
}
