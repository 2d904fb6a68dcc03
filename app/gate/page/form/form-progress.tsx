import type { GateForm } from "./form-flow";

/** How far the form has come, for those who do not see the dialog change. */
export function FormProgress({ form }: { form: GateForm }) {
  return (
    <p role="status" className="visually-hidden">
      {form.step === "signing" ? "Sign the form in your wallet." : ""}
      {form.step === "sending" ? "Sending the form." : ""}
    </p>
  );
}
