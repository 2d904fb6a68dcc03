/** Named as in the database. */
export type TableColumn = {
  key: string;
  label: string;
  /** `code`: an id or an address, shortened on the page. `words`: a sentence. */
  kind: "text" | "moment" | "number" | "code" | "words" | "state";
  isSortable: boolean;
  /** Omitted from a page without values. */
  isOptional?: boolean;
};

export type TableChoice = readonly [value: string, label: string];
export type TableFilter = { name: string; label: string } & (
  { kind: "exact" | "prefix" | "contains" } | { kind: "choice"; choices: readonly TableChoice[] }
);

/** As stored and exported. The page makes words of them. */
export type TableValue = string | number | null;
export type TableRow = Readonly<Record<string, TableValue>>;

export type TableSettings = {
  findLimit: (name: string) => { points: number; windowSeconds: number } | null;
  findQuota: (kind: string) => number | null;
};

/** A link, or a POST form. `name` is the label with its subject, for screen readers. */
export type RowAction = { label: string; name: string } & (
  { href: string } | { action: ActionName; fields: Readonly<Record<string, string>> }
);

export type TableSpec = {
  name: TableName;
  title: string;
  lead: string;
  whenEmpty: string;
  columns: readonly TableColumn[];
  filters: readonly TableFilter[];
  /** In descending order by default. "Within the last …" is about this column, too. */
  sortedBy: string;
  /** Shows the current state, so "within the last …" does not apply. */
  isCurrent?: boolean;
  isExportable?: boolean;
  /** Its rows wait in memory, and are written before they are read. */
  isBuffered?: boolean;
  /** Adds values from the settings. */
  completeRow?: (row: TableRow, settings: TableSettings) => TableRow;
  rowActions?: (row: TableRow) => readonly RowAction[];
  tableAction?: {
    action: ActionName;
    label: string;
    /** An irreversible action takes two steps: below this summary, with a choice. */
    confirmation?: { summary: string; label: string; name: string; choices: readonly TableChoice[] };
  };
};

export type SortOrder = "asc" | "desc";

export const tableNames = [
  "keys",
  "submissions",
  "outbox",
  "payments",
  "quotas",
  "limits",
  "decisions",
  "audit",
] as const;
export type TableName = (typeof tableNames)[number];

export const actionTables = {
  "mark-handled": "submissions",
  "mark-open": "submissions",
  "retry-delivery": "outbox",
  "retry-given-up": "outbox",
  "reset-window": "quotas",
  "reset-quotas": "quotas",
} as const satisfies Readonly<Record<string, TableName>>;
export type ActionName = keyof typeof actionTables;
