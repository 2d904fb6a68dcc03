import { useEffect, useState } from "react";

const shownForMs = 2_000;

/** Copies and says so, in words that a screen reader hears too. */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const [outcome, setOutcome] = useState<"Copied" | "Not allowed here" | null>(null);

  useEffect(() => {
    if (outcome === null) return;
    const timer = window.setTimeout(() => setOutcome(null), shownForMs);
    return () => window.clearTimeout(timer);
  }, [outcome]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("Copied");
    } catch {
      // Not over plain HTTP, and not where the browser's owner forbids it.
      setOutcome("Not allowed here");
    }
  }

  return (
    <span className="copy">
      <span role="status" className="copy-outcome">
        {outcome ?? ""}
      </span>
      <button type="button" className="copy-button" aria-label={label} onClick={() => void copy()}>
        Copy
      </button>
    </span>
  );
}
