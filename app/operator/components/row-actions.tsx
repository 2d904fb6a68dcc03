import { tableSearch } from "../table-query";
import type { TableQuery } from "../table-query";
import type { TableRow, TableSpec } from "../table-spec";

export function hasActions({ name }: TableSpec): boolean {
  return name === "submissions" || name === "outbox" || name === "quotas";
}

type ActionsProps = { spec: TableSpec; query: TableQuery; row: TableRow };

export function RowActions({ spec, query, row }: ActionsProps) {
  const back = tableSearch({ spec, query });
  const text = (key: string) => String(row[key] ?? "");
  if (spec.name === "submissions") {
    const about = `the submission of key ${text("tokenId")}`;
    return (
      <div className="operator-actions">
        <a
          href={`/operator/submissions/${text("id")}`}
          className="operator-button"
          aria-label={`Open ${about}`}
        >
          Open
        </a>
        <MarkForm submissionId={text("id")} isOpen={row.state === "open"} about={about} back={back} />
      </div>
    );
  }
  if (spec.name === "outbox") {
    if (row.state === "delivered") return null;
    const { notificationId, channel } = { notificationId: text("notificationId"), channel: text("channel") };
    return (
      <ActionForm
        action="retry-delivery"
        fields={{ notificationId, channel, back }}
        label="Send now"
        name={`Send the ${channel} notification of ${text("kind")} now`}
      />
    );
  }
  return (
    <ActionForm
      action="reset-window"
      fields={{ kind: text("kind"), subject: text("subject"), back }}
      label="Reset"
      name={`Reset the ${text("kind")} window of ${text("subject")}`}
    />
  );
}

export function MarkForm({
  submissionId,
  isOpen,
  about,
  back,
}: {
  submissionId: string;
  isOpen: boolean;
  about: string;
  back: string;
}) {
  return (
    <ActionForm
      action={isOpen ? "mark-handled" : "mark-open"}
      fields={{ submissionId, back }}
      label={isOpen ? "Mark handled" : "Open again"}
      name={isOpen ? `Mark handled: ${about}` : `Open again: ${about}`}
    />
  );
}

type ActionFormProps = {
  action: string;
  fields: Readonly<Record<string, string>>;
  label: string;
  /** The label with what it is about, for those who do not see the row. */
  name?: string;
};

export function ActionForm({ action, fields, label, name }: ActionFormProps) {
  return (
    <form method="post" action={`/operator/do/${action}`}>
      {Object.entries(fields).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      <button type="submit" className="operator-button" aria-label={name}>
        {label}
      </button>
    </form>
  );
}
