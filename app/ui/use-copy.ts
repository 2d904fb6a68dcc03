import { useEffect, useState } from "react";

/** Copies a text; `outcome` says whether that worked, for a moment or, with null, for good. */
export function useCopy(shownForMs: number | null = 2_000) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);

  useEffect(() => {
    if (outcome === null || shownForMs === null) return;
    const timer = window.setTimeout(() => setOutcome(null), shownForMs);
    return () => window.clearTimeout(timer);
  }, [outcome, shownForMs]);

  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // Not over plain HTTP, and not where the browser's owner forbids it.
      setOutcome("refused");
    }
  }

  const words = outcome === "copied" ? "Copied" : outcome === "refused" ? "Not allowed here" : "";
  return { outcome, words, copy };
}
