import type { PublicSettings } from "~/platform/public-settings";
import { entrySteps, entrySummary } from "./entry-steps";
import type { EntryStep, EntryStepStatus } from "./entry-steps";
import type { GateState } from "../gate-state";

const statusWords: Record<EntryStepStatus, string> = {
  done: "Done",
  now: "Next",
  working: "Checking",
  later: "To do",
  attention: "Not yet",
};

/** What it takes to get in, kept up to date while the visitor goes on. */
export function EntryChecklist({ state, settings }: { state: GateState; settings: PublicSettings }) {
  const steps = entrySteps(state, settings);
  return (
    <section className="entry-checklist" aria-labelledby="entry-heading">
      <h2 id="entry-heading">What you need</h2>
      <ol className="checklist">
        {steps.map((step) => (
          <Step key={step.name} step={step} />
        ))}
      </ol>
      <p role="status" className="visually-hidden">
        {state.phase === "away" ? "" : entrySummary(steps)}
      </p>
    </section>
  );
}

function Step({ step: { name, status, title, detail } }: { step: EntryStep }) {
  return (
    <li className="checklist-step" data-step={name} data-status={status}>
      <StatusMark status={status} />
      <span className="checklist-title">{title}</span>
      <span className="checklist-status">{statusWords[status]}</span>
      <span className="checklist-detail">{detail}</span>
    </li>
  );
}

function StatusMark({ status }: { status: EntryStepStatus }) {
  if (status === "working") return <span className="checklist-mark spinner" aria-hidden="true" />;
  return (
    <svg
      className="checklist-mark"
      viewBox="0 0 20 20"
      width="20"
      height="20"
      aria-hidden="true"
      focusable="false"
    >
      <circle cx="10" cy="10" r="8.5" />
      {status === "done" ? <path d="m6.2 10.3 2.6 2.6 5-5.4" /> : null}
      {status === "attention" ? <path d="M10 5.8v5M10 14v.1" /> : null}
      {status === "now" ? <circle className="checklist-dot" cx="10" cy="10" r="3" /> : null}
    </svg>
  );
}
