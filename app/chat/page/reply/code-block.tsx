import { useEffect, useMemo, useState } from "react";
import { CopyButton } from "./copy-button";

type Highlight = (code: string, language: string) => string | null;

export function CodeBlock({ code, language }: { code: string; language: string }) {
  const highlight = useHighlight();
  const html = useMemo(() => highlight?.(code, language) ?? null, [highlight, code, language]);
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language || "code"}</span>
        <CopyButton label="Copy code" text={code} />
      </figcaption>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls, so the keyboard must get there. */}
      <pre tabIndex={0} aria-label={`Code${language ? `, ${language}` : ""}`} role="group">
        {html === null ? <code>{code}</code> : <code dangerouslySetInnerHTML={{ __html: html }} />}
      </pre>
    </figure>
  );
}

let loaded: Highlight | null = null;

/** Loaded with the first code block. Until then, or if it fails, code is plain. */
function useHighlight(): Highlight | null {
  const [highlight, setHighlight] = useState(() => loaded);
  useEffect(() => {
    if (highlight) return;
    import("./code-highlighter.client").then(
      (module) => {
        loaded = module.highlight;
        setHighlight(() => module.highlight);
      },
      () => undefined,
    );
  }, [highlight]);
  return highlight;
}
