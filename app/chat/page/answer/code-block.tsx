import { memo, useMemo, useState } from "react";
import { createLineReader, tokenizeLine } from "./code-tokens";
import type { CodeLine } from "./code-tokens";
import { CopyButton } from "./copy-button";

type CodeBlockProps = { code: string; language: string };

export function CodeBlock({ code, language }: CodeBlockProps) {
  const [readLines] = useState(createLineReader);
  const lines = useMemo(() => readLines({ code, language }), [readLines, code, language]);
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language || "code"}</span>
        <CopyButton label="Copy code" text={() => code} />
      </figcaption>
      {/* A wide block scrolls by itself, so the keyboard must be able to get there. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`Code${language ? `, ${language}` : ""}`} role="group">
        <code>
          {lines.map(({ line, state }, index) => (
            <ColouredLine key={index} line={line} state={state} language={language} />
          ))}
        </code>
      </pre>
    </figure>
  );
}

const ColouredLine = memo(function ColouredLine({ line, state, language }: CodeLine & { language: string }) {
  const { tokens } = tokenizeLine({ line, state, language });
  return (
    <>
      {tokens.map(({ kind, text }, index) =>
        kind ? (
          <span key={index} className={`code-${kind}`}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
      {"\n"}
    </>
  );
});
