/** Columns are called as in the database. */
export type TableColumn = {
  key: string;
  label: string;
  /** `code`: an id or an address, shortened on the page. `words`: a sentence. */
  kind: "text" | "moment" | "number" | "code" | "words" | "state";
  isSortable?: boolean;
};

export type TableChoice = { value: string; label: string };
export type TableFilter = { name: string; label: string } & (
  { kind: "exact" | "prefix" | "contains" } | { kind: "choice"; choices: readonly TableChoice[] }
);

/** Values as they are stored and exported; the page makes words of them. */
export type TableValue = string | number | null;
export type TableRow = Readonly<Record<string, TableValue>>;

/** What rows need of the settings to be understood. */
export type TableSettings = {
  findLimit: (name: string) => { points: number; windowSeconds: number } | null;
  findQuota: (kind: string) => number | null;
};

/** A form that is sent by POST, or a link. `name` is the label with its subject, for those who do not see the row. */
export type RowAction = { label: string; name: string } & (
  { href: string } | { action: string; fields: Readonly<Record<string, string>> }
);

export type TableAction = {
  action: string;
  label: string;
  /** What cannot be taken back is two steps away: below this summary, with a choice. */
  confirmation?: { summary: string; label: string; name: string; choices: readonly TableChoice[] };
};

export type TableSpec = {
  name: TableName;
  title: string;
  lead: string;
  /** The text where there is nothing. */
  whenEmpty: string;
  columns: readonly TableColumn[];
  filters: readonly TableFilter[];
  /** The column that "within the last …" is about; null for a table of what is the case now. */
  timeColumn: string | null;
  /** Sorted by this column unless asked otherwise, in descending order. */
  sortedBy: string;
  isExportable?: boolean;
  /** Its rows wait in memory, and are written before they are read. */
  isBuffered?: boolean;
  completeRow?: (row: TableRow, settings: TableSettings) => TableRow;
  rowActions?: (row: TableRow) => readonly RowAction[];
  tableAction?: TableAction;
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
