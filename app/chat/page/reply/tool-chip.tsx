import { useId, useState } from "react";
import { asRecord } from "~/platform/refusals/notice";
import type { ToolPart } from "../conversation/conversation";
import { CodeBlock } from "./code-block";
import { Icon } from "../icon";

/** The export has longer inputs and outputs whole. */
const maxShownChars = 20_000;

export function ToolChip({ part }: { part: ToolPart }) {
  const [isUnfolded, setIsUnfolded] = useState(false);
  const panelId = useId();
  const isBusy = part.state === "running" || part.state === "preparing";
  return (
    <div className={`tool tool-${part.state}`}>
      <button
        type="button"
        className="tool-chip"
        aria-expanded={isUnfolded}
        aria-controls={panelId}
        onClick={() => setIsUnfolded(!isUnfolded)}
      >
        {isBusy ? (
          <span className="spinner" aria-hidden="true" />
        ) : (
          <Icon name={part.name.endsWith("_search") ? "search" : "tool"} />
        )}
        <span className="tool-words">
          <span className="tool-name">{part.name}</span>
          {describeQuery(part.input)}
        </span>
        <span className="tool-state">
          {part.state}
          {part.endedAtMs === null ? "" : ` · ${formatDuration(part.endedAtMs - part.startedAtMs)}`}
        </span>
        <Icon name="next" />
      </button>
      <div id={panelId} className="tool-panel" hidden={!isUnfolded}>
        {isUnfolded ? <ToolDetails part={part} /> : null}
      </div>
    </div>
  );
}

function ToolDetails({ part }: { part: ToolPart }) {
  return (
    <>
      <p className="tool-label">Input</p>
      <CodeBlock code={toShownJson(part.input)} language="json" />
      {part.errorText === null ? null : (
        <>
          <p className="tool-label">Error</p>
          <p>{part.errorText}</p>
        </>
      )}
      {part.state === "done" ? (
        <>
          <p className="tool-label">Output</p>
          <CodeBlock code={toShownJson(part.output)} language="json" />
        </>
      ) : null}
    </>
  );
}

function describeQuery(input: unknown) {
  const { query, tokenId } = asRecord(input);
  if (typeof query === "string") return <q>{query}</q>;
  return typeof tokenId === "string" || typeof tokenId === "number" ? <span>#{tokenId}</span> : null;
}

function formatDuration(durationMs: number): string {
  return durationMs < 1_000 ? `${Math.max(0, durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}

function toShownJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? "nothing yet";
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars)}\n…`;
}
