import type { FormReceipt } from "./form-receipt";
import type { GateNotice } from "../gate-notice-shape";

export type FormStep = "open" | "signing" | "sending";

export type GateForm = {
  step: FormStep;
  /** The very text the wallet shows while it asks; null until it does. */
  askedText: string | null;
  /** Once there is one, the form has been accepted and is over. */
  receipt: FormReceipt | null;
  notice: GateNotice | null;
};

export type FormEvent =
  | { type: "form-started"; turn: number }
  | { type: "form-asked"; turn: number; askedText: string }
  | { type: "form-sending"; turn: number }
  | { type: "form-abandoned"; turn: number }
  | { type: "form-accepted"; turn: number; receipt: FormReceipt };

export const openForm: GateForm = { step: "open", askedText: null, receipt: null, notice: null };

/** Null where the event means nothing to a form in this state, and nothing may change. */
export function reduceForm(form: GateForm, event: FormEvent): GateForm | null {
  switch (event.type) {
    case "form-started":
      if (form.step !== "open" || form.receipt) return null;
      return { ...openForm, step: "signing" };
    case "form-asked":
      return form.step === "signing" ? { ...form, askedText: event.askedText } : null;
    case "form-sending":
      return form.step === "signing" ? { ...form, step: "sending" } : null;
    case "form-abandoned":
      // What has been sent cannot be taken back.
      return form.step === "signing" ? openForm : null;
    case "form-accepted":
      return { ...openForm, receipt: event.receipt };
  }
}
