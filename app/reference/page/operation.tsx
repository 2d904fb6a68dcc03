import { CodeText } from "~/ui/code-text";
import type { ReferenceAnswer, ReferenceOperation, ReferenceParameter, ReferenceRefusal } from "../reference";
import { Console } from "./console";
import { SchemaTree } from "./schema-tree";

const methodTones = { GET: "info", POST: "success", DELETE: "problem" } as const;

/** One operation: what it does and takes, what it answers, and the call beside it. */
export function OperationArticle({ operation, origin }: { operation: ReferenceOperation; origin: string }) {
  const { id, method, path, summary, descriptionHtml, parameters, body, answers, refusals } = operation;
  return (
    <article id={id} className="operation" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <div className="operation-words">
        <h3 id={`${id}-title`}>
          <a href={`#${id}`} className="operation-anchor">
            {summary}
          </a>
        </h3>
        <p className="operation-address">
          <span className={`method tone-${methodTones[method]}`}>{method}</span> <code>{path}</code>
        </p>
        <div className="reading" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />
        <p className="soft">{describeAccess(operation)}</p>
        {parameters.length > 0 ? <Parameters parameters={parameters} /> : null}
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
        <Refusals refusals={refusals} />
      </div>
      <Console operation={operation} origin={origin} />
    </article>
  );
}

function describeAccess({ access }: ReferenceOperation): string {
  const ways = [
    ...(access.takesSession ? ["the session of a signed-in browser"] : []),
    ...(access.secret ? [`\`Authorization: Bearer $${access.secret.variable}\``.replaceAll("`", "")] : []),
  ].join(" or ");
  if (ways === "") return "Open to everybody.";
  return access.isOpen ? `Takes ${ways}; may be called without.` : `Needs ${ways}.`;
}

function Parameters({ parameters }: { parameters: ReferenceParameter[] }) {
  return (
    <>
      <h4>Parameters</h4>
      <ul className="schema">
        {parameters.map((parameter) => (
          <li key={`${parameter.in}:${parameter.name}`}>
            <p className="schema-line">
              <code className="schema-name">{parameter.name}</code>
              <span className="schema-type">
                {parameter.in}, {parameter.type}
              </span>
              {parameter.isRequired ? <span className="schema-required">required</span> : null}
            </p>
            {parameter.description ? (
              <p className="schema-words">
                <CodeText text={parameter.description} />
              </p>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function Answer({ answer, summary }: { answer: ReferenceAnswer; summary: string }) {
  return (
    <details className="fold">
      <summary>
        Answer {answer.status}
        <span className="visually-hidden"> of {summary}</span>
        {answer.contentTypes.length > 0 ? (
          <span className="fold-note">{answer.contentTypes.join(", ")}</span>
        ) : null}
      </summary>
      <div className="reading" dangerouslySetInnerHTML={{ __html: answer.descriptionHtml }} />
      {answer.example === null ? null : (
        <pre className="code">
          <code>{answer.example}</code>
        </pre>
      )}
      {answer.schema ? <SchemaTree node={answer.schema} /> : null}
      {answer.headers.length > 0 ? (
        <>
          <h4>Headers of its own</h4>
          <ul className="schema">
            {answer.headers.map(({ name, description }) => (
              <li key={name}>
                <p className="schema-line">
                  <code className="schema-name">{name}</code>
                </p>
                <p className="schema-words">
                  <CodeText text={description} />
                </p>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </details>
  );
}

function Refusals({ refusals }: { refusals: ReferenceRefusal[] }) {
  return (
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
  );
}
