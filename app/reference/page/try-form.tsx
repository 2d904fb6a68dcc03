import { useId } from "react";
import { CodeText } from "~/ui/code-text";
import { Field } from "~/ui/field";
import type { ReferenceOperation } from "../read-reference";
import { parameterKey } from "../request";
import type { RequestValues } from "../request";
import { useVisitor } from "./use-visitor";

export type TryFieldsProps = {
  operation: ReferenceOperation;
  values: RequestValues;
  onChange: (changed: Partial<RequestValues>) => void;
};

const asTyped = { autoComplete: "off", spellCheck: false };

export function TryFields(props: TryFieldsProps) {
  const { operation, values, onChange } = props;
  const { secret } = operation.access;
  return (
    <>
      {operation.parameters.map((parameter) => {
        const key = parameterKey(parameter);
        return (
          <Field
            {...asTyped}
            key={key}
            label={`${parameter.name}${parameter.isRequired ? "" : " (optional)"}`}
            value={values.parameters[key]}
            onChange={(event) =>
              onChange({ parameters: { ...values.parameters, [key]: event.target.value } })
            }
          />
        );
      })}
      <BodyField {...props} />
      <AccessFields {...props} />
      {secret && values.as === "secret" ? (
        <Field
          {...asTyped}
          label={secret}
          hint="Stays in this page until you leave it, and out of what you copy."
          type="password"
          value={values.secret}
          onChange={(event) => onChange({ secret: event.target.value })}
        />
      ) : null}
    </>
  );
}

function BodyField({ operation, values: { body }, onChange }: TryFieldsProps) {
  const id = useId();
  if (!operation.body) return null;
  const { examples } = operation.body;
  const isExample = examples.some(({ text }) => text === body);
  return (
    <>
      {examples.length > 1 ? (
        <div className="stack field">
          <label htmlFor={`${id}-example`}>Begin with</label>
          <select
            id={`${id}-example`}
            className="input"
            value={isExample ? body : ""}
            onChange={(event) => onChange({ body: event.target.value })}
          >
            {isExample ? null : <option value="">Your own</option>}
            {examples.map(({ name, summary, text }) => (
              <option key={name} value={text}>
                {summary}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      <div className="stack field field-wide">
        <label htmlFor={`${id}-body`}>Body</label>
        <textarea
          id={`${id}-body`}
          className="input input-code"
          rows={Math.min(14, body.split("\n").length + 1)}
          spellCheck={false}
          value={body}
          onChange={(event) => onChange({ body: event.target.value })}
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

function AccessFields({ operation, values, onChange }: TryFieldsProps) {
  const id = useId();
  const { visitor } = useVisitor();
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
            onChange={() => onChange({ as })}
          />
          {label}
        </label>
      ))}
      {values.as === "session" && visitor.state === "signed-in" ? (
        <p className="field-hint">You are in with key #{visitor.tokenId}.</p>
      ) : null}
      {values.as === "session" && visitor.state === "stranger" ? (
        <p className="field-hint">
          {visitor.reason} <a href="/gate">Sign in at the gate</a>, then come back.
        </p>
      ) : null}
      {takesSession || secret !== "ACCESS_TOKEN" ? null : (
        <p className="field-hint">
          <CodeText text="The browser's session does not count at this address. A signed-in visitor gets the same answer from `POST /session` with `open`: " />
          <a href="#keepSession">see there</a>.
        </p>
      )}
    </fieldset>
  );
}
