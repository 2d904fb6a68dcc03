import { useId } from "react";
import { CodeText } from "~/ui/code-text";
import { Field } from "~/ui/field";
import { parameterKey } from "../reference";
import type { ReferenceOperation, RequestValues } from "../reference";
import { useVisitor } from "./use-visitor";

type FormProps = {
  operation: ReferenceOperation;
  values: RequestValues;
  onValues: (values: RequestValues) => void;
};

/** Everything a call consists of, to fill in. */
export function TryFields({
  operation,
  values,
  onValues,
  secret,
  onSecret,
}: FormProps & { secret: string; onSecret: (secret: string) => void }) {
  return (
    <>
      {operation.parameters.map((parameter) => {
        const key = parameterKey(parameter);
        return (
          <Field
            key={key}
            label={`${parameter.name}${parameter.isRequired ? "" : " (optional)"}`}
            autoComplete="off"
            spellCheck={false}
            value={values.parameters[key] ?? ""}
            onChange={(event) =>
              onValues({ ...values, parameters: { ...values.parameters, [key]: event.target.value } })
            }
          />
        );
      })}
      {operation.body ? <BodyField operation={operation} values={values} onValues={onValues} /> : null}
      <AccessFields operation={operation} values={values} onValues={onValues} />
      {operation.access.secret && values.as === "secret" ? (
        <Field
          label={operation.access.secret.variable}
          hint="Stays in this page until you leave it, and out of what you copy."
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={secret}
          onChange={(event) => onSecret(event.target.value)}
        />
      ) : null}
    </>
  );
}

function BodyField({ operation, values, onValues }: FormProps) {
  const id = useId();
  const examples = operation.body?.examples ?? [];
  const chosen = examples.find(({ text }) => text === values.body);
  return (
    <>
      {examples.length > 1 ? (
        <div className="field">
          <label htmlFor={`${id}-example`}>Begin with</label>
          <select
            id={`${id}-example`}
            className="input"
            value={chosen?.name ?? ""}
            onChange={(event) => {
              const next = examples.find(({ name }) => name === event.target.value);
              if (next) onValues({ ...values, body: next.text });
            }}
          >
            {chosen ? null : <option value="">Your own</option>}
            {examples.map(({ name, summary }) => (
              <option key={name} value={name}>
                {summary}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      <div className="field field-wide">
        <label htmlFor={`${id}-body`}>Body</label>
        <textarea
          id={`${id}-body`}
          className="input input-code"
          rows={Math.min(14, values.body.split("\n").length + 1)}
          spellCheck={false}
          value={values.body}
          onChange={(event) => onValues({ ...values, body: event.target.value })}
        />
      </div>
    </>
  );
}

const choices = [
  { as: "session", label: "As the visitor who is signed in here" },
  { as: "secret", label: "With a token or secret of your own" },
  { as: "nobody", label: "As nobody in particular" },
] as const;

function AccessFields({ operation, values, onValues }: FormProps) {
  const id = useId();
  const { takesSession, secret } = operation.access;
  if (!takesSession && !secret) return null;
  const offered = choices.filter(({ as }) => (as === "session" ? takesSession : as !== "secret" || secret));
  return (
    <fieldset className="choices">
      <legend>Sent</legend>
      {offered.map(({ as, label }) => (
        <label key={as} className="choice">
          <input
            type="radio"
            name={`${id}-as`}
            value={as}
            checked={values.as === as}
            onChange={() => onValues({ ...values, as })}
          />
          {label}
        </label>
      ))}
      {values.as === "session" ? <SessionWords /> : null}
      {takesSession || secret?.variable !== "ACCESS_TOKEN" ? null : (
        <p className="field-hint">
          <CodeText text="The browser's session does not count at this address. A signed-in visitor gets the same answer from `POST /session` with `open`: " />
          <a href="#keepSession">see there</a>.
        </p>
      )}
    </fieldset>
  );
}

function SessionWords() {
  const { visitor } = useVisitor();
  if (visitor.state === "signed-in")
    return <p className="field-hint">You are in with key #{visitor.tokenId}.</p>;
  if (visitor.state !== "stranger") return null;
  return (
    <p className="field-hint">
      {visitor.reason ?? "You are not signed in."} <a href="/gate">Sign in at the gate</a>, then come back.
    </p>
  );
}
