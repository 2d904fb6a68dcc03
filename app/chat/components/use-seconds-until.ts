import { useEffect, useState } from "react";

/** Whole seconds until the moment, by this device's clock; 0 when it has come or there is none. */
export function useSecondsUntil(momentMs: number | null): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isOver = momentMs === null || momentMs <= nowMs;

  useEffect(() => {
    if (momentMs === null) return;
    setNowMs(Date.now());
    if (momentMs <= Date.now()) return;
    const timer = window.setInterval(() => {
      setNowMs(Date.now());
      if (Date.now() >= momentMs) window.clearInterval(timer);
    }, 250);
    return () => window.clearInterval(timer);
  }, [momentMs]);

  return isOver ? 0 : Math.ceil((momentMs - nowMs) / 1_000);
}
