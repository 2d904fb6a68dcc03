import { useEffect, useState } from "react";

const shownForMs = 2_000;

export type CopyOutcome = "copied" | "refused" | null;

/** Copies a text, and tells for a moment what came of it. */
export function useCopy(): { outcome: CopyOutcome; copy: (text: string) => Promise<void> } {
  const [outcome, setOutcome] = useState<CopyOutcome>(null);

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
