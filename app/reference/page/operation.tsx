import type { ReferenceAnswer, ReferenceOperation } from "../read-reference";
import { Console } from "./console";
import { SchemaList, SchemaTree } from "./schema-tree";

const methodTones = { GET: "info", POST: "success", DELETE: "problem" } as const;

export function OperationArticle({ operation, origin }: { operation: ReferenceOperation; origin: string }) {
  const { id, method, path, summary, descriptionHtml, parameters, body, answers, refusals } = operation;
  return (
    <article id={id} className="operation" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <div className="operation-words">
        <h3 id={`${id}-title`}>
          <a href={`#${id}`}>{summary}</a>
        </h3>
        <p>
          <span className={`method tone-${methodTones[method]}`}>{method}</span> <code>{path}</code>
        </p>
        <div className="reading" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />
        <p className="soft">{describeAccess(operation)}</p>
        {parameters.length > 0 ? (
          <>
            <h4>Parameters</h4>
            <SchemaList nodes={parameters} />
          </>
        ) : null}
        {body ? (
          <details className="fold">
            <summary>
              Body<span className="visually-hidden"> of {summary}</span>
              {body.isRequired ? null : <span className="fold-note">optional</span>}
            </summary>
            <SchemaTree node={body.schema} />
          </details>
        ) : null}
        {answers.map((answer) => (
          <Answer key={answer.status} answer={answer} summary={summary} />
        ))}
        <details className="fold">
          <summary>
            Refusals<span className="fold-note">{refusals.length}</span>
          </summary>
          <ul className="refusals">
            {refusals.map(({ status, slug, title }) => (
              <li key={`${status}-${slug}-${title}`}>
                <span className="soft">{status}</span> <a href={`/problems/${slug}`}>{title}</a>
              </li>
            ))}
          </ul>
        </details>
      </div>
      <Console operation={operation} origin={origin} />
    </article>
  );
}

function describeAccess({ access: { takesSession, secret, isOpen } }: ReferenceOperation): string {
  const session = takesSession ? "the session of a signed-in browser" : "";
  const header = secret ? `Authorization: Bearer $${secret}` : "";
  const ways = [session, header].filter(Boolean).join(" or ");
  if (ways === "") return "Open to everybody.";
  return isOpen ? `Takes ${ways}; may be called without.` : `Needs ${ways}.`;
}

function Answer({ answer, summary }: { answer: ReferenceAnswer; summary: string }) {
  const { status, contentTypes, descriptionHtml, example, schema, headers } = answer;
  return (
    <details className="fold">
      <summary>
        Answer {status}
        <span className="visually-hidden"> of {summary}</span>
        {contentTypes.length > 0 ? <span className="fold-note">{contentTypes.join(", ")}</span> : null}
      </summary>
      <div className="reading" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />
      {example === null ? null : <pre className="code">{example}</pre>}
      {schema ? <SchemaTree node={schema} /> : null}
      {headers.length > 0 ? (
        <>
          <h4>Headers of its own</h4>
          <SchemaList nodes={headers} />
        </>
      ) : null}
    </details>
  );
}
