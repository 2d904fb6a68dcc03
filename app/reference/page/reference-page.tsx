import { useEffect, useRef, useState } from "react";
import type { OperationGroup } from "../read-operations";

/** A list without scripts, Swagger UI with them. */
export function ReferencePage({ groups }: { groups: OperationGroup[] }) {
  const { host, state } = useSwagger();
  return (
    <div className="reference">
      <div className="prose">
        <h1>API reference</h1>
        <p className="lead">
          Every operation of this gate, to read and to try. Programs read{" "}
          <a href="/api/openapi">the OpenAPI document</a>. Every refusal has a page under{" "}
          <a href="/problems">/problems</a>.
        </p>
        <p>
          Calls from this page are sent with your session. <a href="/gate">Sign in at the gate</a> first to
          try those that need a key.
        </p>
        <noscript>
          <p className="notice tone-info">Trying calls needs JavaScript.</p>
        </noscript>
        <p role="status">
          {state === "failed" ? "The interactive reference couldn't be loaded. Load the page again." : null}
        </p>
      </div>
      {state === "open" ? null : groups.map((group) => <OperationList key={group.name} {...group} />)}
      <div ref={host} />
    </div>
  );
}

function OperationList({ name, operations }: OperationGroup) {
  return (
    <section className="operation-list">
      <h2>{name}</h2>
      <ul className="stack-close">
        {operations.map(({ id, method, path, summary }) => (
          <li key={id} id={id}>
            <code>
              {method} {path}
            </code>{" "}
            {summary}
          </li>
        ))}
      </ul>
    </section>
  );
}

function useSwagger() {
  const host = useRef<HTMLDivElement>(null);
  const isBegun = useRef(false);
  const [state, setState] = useState<"loading" | "open" | "failed">("loading");
  useEffect(() => {
    if (isBegun.current || !host.current) return;
    isBegun.current = true;
    const element = host.current;
    import("./swagger.client")
      .then(({ openSwagger }) => openSwagger(element))
      .then(
        () => setState("open"),
        () => setState("failed"),
      );
  }, []);
  return { host, state };
}
