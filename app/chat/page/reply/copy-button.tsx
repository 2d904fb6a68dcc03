import { useCopy } from "~/ui/use-copy";
import { IconButton } from "../icon";

export function CopyButton({ label, text }: { label: string; text: string }) {
  const { outcome, words, copy } = useCopy();
  return (
    <IconButton label={label} icon={outcome === "copied" ? "check" : "copy"} onClick={() => void copy(text)}>
      <span role="status">{words}</span>
    </IconButton>
  );
}
