import { useCallback, useMemo, useSyncExternalStore } from "react";

/** Whole seconds, by this device's clock; 0 without a moment. */
export function useSecondsUntil(momentMs: number | null): number {
  const subscribe = useCallback(
    (onTick: () => void) => {
      const timer = window.setInterval(() => {
        const isOver = secondsUntil(momentMs) === 0;
        onTick();
        if (isOver) window.clearInterval(timer);
      }, 250);
      return () => window.clearInterval(timer);
    },
    [momentMs],
  );
  const read = () => secondsUntil(momentMs);
  return useSyncExternalStore(subscribe, read, read);
}

/** For a wait in seconds, which begins now. */
export function useCountdown(seconds: number): number {
  return useSecondsUntil(useMemo(() => Date.now() + seconds * 1_000, [seconds]));
}

function secondsUntil(momentMs: number | null): number {
  return momentMs === null ? 0 : Math.max(0, Math.ceil((momentMs - Date.now()) / 1_000));
}
