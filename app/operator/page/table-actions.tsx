import { tableSearch } from "../tables/table-query";
import type { TableQuery } from "../tables/table-query";
import type { RowAction, TableAction, TableSpec } from "../tables/table-spec";
import { Choice } from "./table-filters";

/** `back`: the search of the page to return to. */
export function RowActions({ actions, back }: { actions: readonly RowAction[]; back: string }) {
  if (actions.length === 0) return null;
  return (
    <div className="operator-actions">
      {actions.map((action) =>
        "href" in action ? (
          <a key={action.label} href={action.href} className="operator-button" aria-label={action.name}>
            {action.label}
          </a>
        ) : (
          <ActionForm key={action.label} {...action} fields={{ ...action.fields, back }} />
        ),
      )}
    </div>
  );
}

type ActionFormProps = {
  action: string;
  fields: Readonly<Record<string, string>>;
  label: string;
  name?: string;
};

function ActionForm({ action, fields, label, name }: ActionFormProps) {
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

/** What is done to a table as a whole. */
export function TableTools({ spec, query }: { spec: TableSpec; query: TableQuery }) {
  return (
    <>
      {spec.tableAction ? <TableActionForm {...spec.tableAction} back={tableSearch(spec, query)} /> : null}
      {spec.isExportable ? <ExportLinks spec={spec} query={query} /> : null}
    </>
  );
}

function TableActionForm({ action, label, confirmation, back }: TableAction & { back: string }) {
  if (!confirmation) return <ActionForm action={action} fields={{ back }} label={label} />;
  const { summary, choices, ...choice } = confirmation;
  return (
    <details className="operator-more">
      <summary>{summary}</summary>
      <form method="post" action={`/operator/do/${action}`}>
        <Choice {...choice} value={choices[0]!.value} choices={choices} />
        <button type="submit" className="operator-button operator-button-strong">
          {label}
        </button>
      </form>
    </details>
  );
}

function ExportLinks({ spec, query }: { spec: TableSpec; query: TableQuery }) {
  const search = tableSearch(spec, query, { page: 1 });
  const address = (format: string) =>
    `/operator/export/${spec.name}${search ? `${search}&` : "?"}format=${format}`;
  return (
    <div className="operator-actions">
      <a href={address("csv")} className="operator-button" download>
        Export as CSV
      </a>
      <a href={address("json")} className="operator-button" download>
        Export as JSON
      </a>
    </div>
  );
}
