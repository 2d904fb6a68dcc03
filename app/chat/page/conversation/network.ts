type NetworkChange = "online" | "offline" | "seen";

/** What the browser tells of its connection, and of somebody looking at the page again. */
export type Network = {
  isOnline: () => boolean;
  /** What it returns ends that. */
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

/** Doubles with each failure, with jitter: many pages that lost one server must not come back in one moment. */
export function backoffMs(failures: number): number {
  if (failures === 0) return 0;
  const wholeMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  return wholeMs * (0.5 + Math.random() / 2);
}

/** Until the time is over, or at once when the connection is back or the page is seen. Without a connection: until then. */
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
