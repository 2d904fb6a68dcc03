import { tableSearch } from "../table-query";
import type { TableQuery } from "../table-query";
import type { TableSpec } from "../table-spec";
import { ActionForm } from "./row-actions";
import { Choice } from "./table-filters";

/** What is done to a table as a whole. What cannot be taken back is two steps away. */
export function TableTools({ spec, query }: { spec: TableSpec; query: TableQuery }) {
  const back = tableSearch({ spec, query });
  if (spec.name === "outbox") {
    return <ActionForm action="retry-given-up" fields={{ back }} label="Send all that were given up again" />;
  }
  if (spec.name === "quotas") {
    return (
      <details className="operator-more">
        <summary>Reset all windows…</summary>
        <form method="post" action="/operator/do/reset-quotas">
          <Choice
            label="Which"
            name="scope"
            value="token"
            choices={[
              { value: "token", label: "answers and speech" },
              { value: "crypto", label: "payments" },
              { value: "both", label: "all of them" },
            ]}
          />
          <button type="submit" className="operator-button operator-button-strong">
            Reset them
          </button>
        </form>
      </details>
    );
  }
  if (!spec.isExportable) return null;
  const search = tableSearch({ spec, query, change: { page: 1 } });
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
