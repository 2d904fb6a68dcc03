import { useId } from "react";
import { pageSizes, withinChoices } from "../tables/table-query";
import type { TableQuery } from "../tables/table-query";
import type { TableFilter, TableSpec } from "../tables/table-spec";

type FiltersProps = { spec: TableSpec; query: TableQuery; isOpen: boolean };

/** A form that is sent by GET: what it asks for stands in the address. */
export function TableFilters({ spec, query, isOpen }: FiltersProps) {
  const sortable = spec.columns.filter(({ isSortable }) => isSortable);
  return (
    <details className="operator-filters" open={isOpen}>
      <summary>Filter and sort</summary>
      <form method="get" action={`/operator/${spec.name}`}>
        {spec.filters.map((filter) => (
          <FilterField key={filter.name} filter={filter} value={query.filters[filter.name] ?? ""} />
        ))}
        {spec.timeColumn !== null ? (
          <Choice
            label="Within"
            name="within"
            value={query.withinSeconds === null ? "" : String(query.withinSeconds)}
            choices={[{ value: "", label: "all of it" }, ...withinChoices]}
          />
        ) : null}
        <Choice
          label="Sort by"
          name="sort"
          value={query.sort}
          choices={sortable.map(({ key, label }) => ({ value: key, label }))}
        />
        <Choice
          label="Order"
          name="order"
          value={query.order}
          choices={[
            { value: "desc", label: "highest or latest first" },
            { value: "asc", label: "lowest or earliest first" },
          ]}
        />
        <Choice
          label="Rows"
          name="size"
          value={String(query.size)}
          choices={pageSizes.map((size) => ({ value: String(size), label: String(size) }))}
        />
        <div className="operator-filters-end">
          <button type="submit" className="operator-button operator-button-strong">
            Apply
          </button>
          <a href={`/operator/${spec.name}`} className="operator-button">
            Clear
          </a>
        </div>
      </form>
    </details>
  );
}

function FilterField({ filter, value }: { filter: TableFilter; value: string }) {
  const id = useId();
  if (filter.kind === "choice") {
    const choices = [{ value: "", label: "any" }, ...filter.choices];
    return <Choice label={filter.label} name={filter.name} value={value} choices={choices} />;
  }
  return (
    <div className="operator-field">
      <label htmlFor={id}>{filter.label}</label>
      <input
        id={id}
        className="input"
        name={filter.name}
        defaultValue={value}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}

type ChoiceProps = {
  label: string;
  name: string;
  value: string;
  choices: readonly { value: string; label: string }[];
};

export function Choice({ label, name, value, choices }: ChoiceProps) {
  const id = useId();
  return (
    <div className="operator-field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" name={name} defaultValue={value}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
