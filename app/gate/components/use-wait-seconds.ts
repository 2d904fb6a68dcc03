import { useEffect, useState } from "react";
import type { GateNotice } from "./gate-notice-shape";

/** Seconds until what was refused may be tried again: counted from the refusal itself, not from the first drawing. */
export function useWaitSeconds(notice: GateNotice | null): number {
  const [leftSeconds, setLeftSeconds] = useState(() => secondsLeft(notice));

  useEffect(() => {
    setLeftSeconds(secondsLeft(notice));
    if (secondsLeft(notice) === 0) return;
    const timer = window.setInterval(() => {
      const left = secondsLeft(notice);
      setLeftSeconds(left);
      if (left === 0) window.clearInterval(timer);
    }, 250);
    return () => window.clearInterval(timer);
  }, [notice]);

  return leftSeconds;
}

/** Several places count the same wait: it begins where the first of them sees the notice. */
const endsAtMs = new WeakMap<GateNotice, number>();

function secondsLeft(notice: GateNotice | null): number {
  if (!notice?.retryAfterSeconds) return 0;
  const end = endsAtMs.get(notice) ?? performance.now() + notice.retryAfterSeconds * 1_000;
  endsAtMs.set(notice, end);
  return Math.max(0, Math.ceil((end - performance.now()) / 1_000));
}
