import { useEffect, useState } from "react";

/** `shownForMs` null keeps the outcome. */
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
      // Browsers forbid it over plain HTTP.
      setOutcome("refused");
    }
  }

  const words = outcome === "copied" ? "Copied" : outcome === "refused" ? "Not allowed here" : "";
  return { outcome, words, copy };
}
