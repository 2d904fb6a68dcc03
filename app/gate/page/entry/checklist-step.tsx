import type { ReactNode } from "react";

export type Status = "done" | "now" | "working" | "later" | "attention" | "unknown";

type ChecklistStepProps = {
  name?: string;
  status: Status;
  title: string;
  /** The status in words, not by colour alone. */
  words: string;
  detail: string;
  children?: ReactNode;
};

export function ChecklistStep({ name, status, title, words, detail, children }: ChecklistStepProps) {
  return (
    <li className="checklist-step" data-step={name} data-status={status}>
      <StatusMark status={status} />
      <span className="checklist-title">{title}</span>
      <span className="checklist-status">{words}</span>
      {detail ? <span className="checklist-detail">{detail}</span> : null}
      {children ? <span className="checklist-more">{children}</span> : null}
    </li>
  );
}

const marks: Partial<Record<Status, string>> = {
  done: "m6.2 10.3 2.6 2.6 5-5.4",
  attention: "M10 5.8v5M10 14v.1",
  unknown: "M7.6 7.9a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.7M10 14.3v.1",
};

function StatusMark({ status }: { status: Status }) {
  if (status === "working") return <span className="checklist-mark spinner" aria-hidden="true" />;
  const mark = marks[status];
  return (
    <svg className="checklist-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <circle cx="10" cy="10" r="8.5" />
      {mark ? <path d={mark} /> : null}
      {status === "now" ? <circle className="checklist-dot" cx="10" cy="10" r="3" /> : null}
    </svg>
  );
}
