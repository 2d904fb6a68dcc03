import { CodeText } from "~/ui/code-text";
import type { Reference } from "../read-reference";
import { OperationArticle } from "./operation";
import { SchemaList } from "./schema-tree";
import { useVisitorState, VisitorContext } from "./use-visitor";
import type { Visitor } from "./use-visitor";

/** The whole reference. It can be read without scripts; with them, calls can be copied and sent. */
export function ReferencePage({ reference }: { reference: Reference }) {
  const state = useVisitorState();
  return (
    <VisitorContext.Provider value={state}>
      <div className="reference">
        <Contents reference={reference} />
        <div className="reference-body">
          <Introduction reference={reference} visitor={state.visitor} />
          {reference.groups.map(({ name, description, operations }) => (
            <section key={name} className="reference-group" aria-labelledby={groupId(name)}>
              <h2 id={groupId(name)}>{name}</h2>
              <p className="soft">{description}</p>
              {operations.map((operation) => (
                <OperationArticle key={operation.id} operation={operation} origin={reference.origin} />
              ))}
            </section>
          ))}
          <section className="reference-group" aria-labelledby="headers">
            <h2 id="headers">Headers of answers</h2>
            <SchemaList nodes={reference.headers} />
          </section>
        </div>
      </div>
    </VisitorContext.Provider>
  );
}

function groupId(name: string): string {
  return `group-${name.toLowerCase()}`;
}

/** On a phone only the groups are listed; the styles leave the operations out. */
function Contents({ reference }: { reference: Reference }) {
  return (
    <nav className="reference-contents" aria-label="Operations">
      <ul className="row">
        {reference.groups.map(({ name, operations }) => (
          <li key={name}>
            <a href={`#${groupId(name)}`} className="contents-group">
              {name}
            </a>
            <ul className="row">
              {operations.map(({ id, summary }) => (
                <li key={id}>
                  <a href={`#${id}`}>{summary}</a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Introduction({ reference, visitor }: { reference: Reference; visitor: Visitor }) {
  return (
    <div className="prose">
      <h1>API reference</h1>
      <p className="lead">
        Every address of this gate, version {reference.version}, to read and to try. The same for programs:{" "}
        <a href="/api/openapi">/api/openapi</a>. Every refusal is explained at{" "}
        <a href="/problems">/problems</a>.
      </p>
      <noscript>
        <p className="notice tone-info">Without JavaScript everything can be read here, but not tried.</p>
      </noscript>
      <p role="status" className="visitor-line" data-visitor={visitor.state}>
        <VisitorWords visitor={visitor} />
      </p>
      <div className="reading" dangerouslySetInnerHTML={{ __html: reference.introductionHtml }} />
      <h2>The typed client</h2>
      <p>
        <CodeText text="`openapi-fetch` calls this gate with types made from its own description:" />
      </p>
      <pre className="code">{writeClientExample(reference.origin)}</pre>
    </div>
  );
}

function VisitorWords({ visitor }: { visitor: Visitor }) {
  if (visitor.state === "signed-in") {
    const tried = `You are in with key #${visitor.tokenId}: what takes the session of a browser is tried as you.`;
    return `${tried} Your token stays in a cookie that no script can read.`;
  }
  if (visitor.state === "stranger") {
    return (
      <>
        {visitor.reason} To try what needs a key, <a href="/gate">sign in at the gate</a> and come back.
      </>
    );
  }
  return visitor.state === "unknown" ? "Whether you are signed in could not be asked just now." : null;
}

function writeClientExample(origin: string): string {
  return `npm install openapi-fetch
npx openapi-typescript ${origin}/api/openapi -o ./gate-api.ts

import createClient from "openapi-fetch";
import type { paths } from "./gate-api";

const client = createClient<paths>({ baseUrl: ${JSON.stringify(origin)} });
const { data, error } = await client.GET("/api/nonce");`;
}
