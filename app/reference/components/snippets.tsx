import { writeCurl } from "../curl-snippet";
import type { ReferenceOperation, RequestValues } from "../reference";
import { writeTypeScript } from "../typescript-snippet";
import { CopyButton } from "./copy-button";
import { useHydrated } from "./use-hydrated";

type SnippetsProps = { operation: ReferenceOperation; values: RequestValues; origin: string };

/** The call to copy, with the values of the form next to it. */
export function Snippets(props: SnippetsProps) {
  const { operation } = props;
  return (
    <div className="snippets">
      <Snippet group={operation.id} name="curl" text={writeCurl(props)} summary={operation.summary} isOpen />
      <Snippet
        group={operation.id}
        name="TypeScript"
        text={writeTypeScript(props)}
        summary={operation.summary}
      />
    </div>
  );
}

type SnippetProps = { group: string; name: string; text: string; summary: string; isOpen?: boolean };

function Snippet({ group, name, text, summary, isOpen = false }: SnippetProps) {
  const isHydrated = useHydrated();
  return (
    <details className="fold snippet" name={`snippets-${group}`} open={isOpen}>
      <summary>{name}</summary>
      <div className="code-frame">
        {isHydrated ? <CopyButton label={`Copy ${name}: ${summary}`} text={text} /> : null}
        <pre className="code" data-snippet={`${group}.${name}`}>
          <code>{text}</code>
        </pre>
      </div>
    </details>
  );
}
