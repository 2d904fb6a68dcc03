import { useEffect, useState } from "react";
import { Icon } from "./icon";

const shownForMs = 2_000;

/** Copies and says so, in words that a screen reader hears too. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);

  useEffect(() => {
    if (outcome === null) return;
    const timer = window.setTimeout(() => setOutcome(null), shownForMs);
    return () => window.clearTimeout(timer);
  }, [outcome]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text());
      setOutcome("copied");
    } catch {
      // Not over plain HTTP, and not where the browser's owner forbids it.
      setOutcome("refused");
    }
  }

  return (
    <button type="button" className="quiet-action" aria-label={label} onClick={() => void copy()}>
      <Icon name={outcome === "copied" ? "check" : "copy"} />
      <span role="status">
        {outcome === "copied" ? "Copied" : outcome === "refused" ? "Not allowed" : ""}
      </span>
    </button>
  );
}
