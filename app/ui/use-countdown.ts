import { useEffect, useState } from "react";

/** Whole seconds left of `seconds`, counting down from the moment of mounting or of a new value. */
export function useCountdown(seconds: number): number {
  const [leftSeconds, setLeftSeconds] = useState(seconds);

  useEffect(() => {
    const endsAtMs = performance.now() + seconds * 1_000;
    function tick() {
      const left = Math.max(0, Math.ceil((endsAtMs - performance.now()) / 1_000));
      setLeftSeconds(left);
      if (left === 0) window.clearInterval(timer);
    }
    const timer = window.setInterval(tick, 250);
    tick();
    return () => window.clearInterval(timer);
  }, [seconds]);

  return leftSeconds;
}
