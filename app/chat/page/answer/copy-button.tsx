import { useCopy } from "~/ui/use-copy";
import { Icon } from "../icon";

/** Copies and says so, in words that a screen reader hears too. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const { outcome, copy } = useCopy();

  return (
    <button type="button" className="quiet-action" aria-label={label} onClick={() => void copy(text())}>
      <Icon name={outcome === "copied" ? "check" : "copy"} />
      <span role="status">
        {outcome === "copied" ? "Copied" : outcome === "refused" ? "Not allowed" : ""}
      </span>
    </button>
  );
}
