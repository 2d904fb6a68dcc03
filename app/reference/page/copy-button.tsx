import { useCopy } from "~/ui/use-copy";

/** Copies and says so, in words that a screen reader hears too. */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const { outcome, copy } = useCopy();

  return (
    <span className="copy">
      <span role="status" className="copy-outcome">
        {outcome === "copied" ? "Copied" : outcome === "refused" ? "Not allowed here" : ""}
      </span>
      <button type="button" className="copy-button" aria-label={label} onClick={() => void copy(text)}>
        Copy
      </button>
    </span>
  );
}
