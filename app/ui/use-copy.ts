import { useEffect, useState } from "react";

const shownForMs = 2_000;

/** Copies a text; for a moment, `outcome` says whether that worked. */
export function useCopy() {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);

  useEffect(() => {
    if (outcome === null) return;
    const timer = window.setTimeout(() => setOutcome(null), shownForMs);
    return () => window.clearTimeout(timer);
  }, [outcome]);

  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // Not over plain HTTP, and not where the browser's owner forbids it.
      setOutcome("refused");
    }
  }

  return { outcome, copy };
}
