import { useId } from "react";
import type { InputHTMLAttributes } from "react";

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, "className" | "id"> & {
  label: string;
  hint?: string;
  fault?: string | null;
};

export function Field({ label, hint, fault, ...rest }: FieldProps) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : "", fault ? `${id}-fault` : ""].filter(Boolean).join(" ");
  return (
    <div className="stack field">
      <label htmlFor={id}>{label}</label>
      {hint ? (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      ) : null}
      <input
        {...rest}
        id={id}
        className="input"
        aria-invalid={fault ? true : undefined}
        aria-describedby={describedBy || undefined}
      />
      {fault ? (
        <p id={`${id}-fault`} className="field-fault" role="alert">
          {fault}
        </p>
      ) : null}
    </div>
  );
}
