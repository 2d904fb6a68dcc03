/** What a table of the operator's view shows, by what it is sorted and filtered. Columns are called as in the database. */
export type TableColumn = {
  key: string;
  label: string;
  /** `code`: an id or an address, cut short on the page. `words`: a sentence. */
  kind: "text" | "moment" | "number" | "code" | "words" | "state";
  isSortable?: true;
};

export type TableFilter = { name: string; label: string } & (
  | { kind: "exact" | "prefix" | "contains" }
  | { kind: "choice"; choices: readonly { value: string; label: string }[] }
);

export type TableSpec = {
  name: TableName;
  title: string;
  lead: string;
  /** What it says where there is nothing. */
  whenEmpty: string;
  columns: readonly TableColumn[];
  filters: readonly TableFilter[];
  /** The column that "within the last …" is about; null for a table of what is the case now. */
  timeColumn: string | null;
  defaultSort: { column: string; order: SortOrder };
  isExportable?: true;
};

export type SortOrder = "asc" | "desc";

export const tableNames = [
  "keys",
  "submissions",
  "outbox",
  "quotas",
  "limits",
  "decisions",
  "audit",
] as const;
export type TableName = (typeof tableNames)[number];

/** Values as they are stored and exported; the page makes words of them. */
export type TableValue = string | number | null;
export type TableRow = Readonly<Record<string, TableValue>>;

const choice = (value: string, label = value) => ({ value, label });

const moment = (key: string, label: string): TableColumn => ({
  key,
  label,
  kind: "moment",
  isSortable: true,
});

export const tableSpecs: Readonly<Record<TableName, TableSpec>> = {
  keys: {
    name: "keys",
    title: "Keys used",
    lead: "Keys that were used up, by the form or by a tool. They open nothing any more.",
    whenEmpty: "No key has been used up.",
    timeColumn: "usedAtMs",
    columns: [
      moment("usedAtMs", "Used"),
      { key: "tokenId", label: "Key", kind: "code" },
      { key: "usedBy", label: "Wallet", kind: "code", isSortable: true },
      { key: "contractAddress", label: "Contract", kind: "code" },
      { key: "chainId", label: "Chain", kind: "text" },
    ],
    filters: [
      { name: "tokenId", label: "Key", kind: "exact" },
      { name: "usedBy", label: "Wallet begins with", kind: "prefix" },
    ],
    defaultSort: { column: "usedAtMs", order: "desc" },
    isExportable: true,
  },
  submissions: {
    name: "submissions",
    title: "Submissions",
    lead: "What holders sent with the one-time form.",
    whenEmpty: "Nothing has been sent.",
    timeColumn: "createdAtMs",
    columns: [
      moment("createdAtMs", "Sent"),
      { key: "tokenId", label: "Key", kind: "code" },
      { key: "address", label: "Wallet", kind: "code", isSortable: true },
      { key: "message", label: "Message", kind: "words" },
      { key: "state", label: "State", kind: "state" },
    ],
    filters: [
      { name: "state", label: "State", kind: "choice", choices: [choice("open"), choice("handled")] },
      { name: "tokenId", label: "Key", kind: "exact" },
      { name: "address", label: "Wallet begins with", kind: "prefix" },
      { name: "message", label: "Message contains", kind: "contains" },
    ],
    defaultSort: { column: "createdAtMs", order: "desc" },
    isExportable: true,
  },
  outbox: {
    name: "outbox",
    title: "Outbox",
    lead: "Notifications on their way to you, one row for each channel.",
    whenEmpty: "Nothing is or was on its way.",
    timeColumn: "createdAtMs",
    columns: [
      moment("createdAtMs", "Queued"),
      { key: "kind", label: "About", kind: "text" },
      { key: "channel", label: "Channel", kind: "text", isSortable: true },
      { key: "state", label: "State", kind: "state" },
      { key: "attempts", label: "Failures", kind: "number", isSortable: true },
      moment("nextAttemptAtMs", "Next attempt"),
      { key: "lastError", label: "Last error", kind: "words" },
    ],
    filters: [
      {
        name: "state",
        label: "State",
        kind: "choice",
        choices: [choice("waiting"), choice("given-up", "given up"), choice("delivered")],
      },
      { name: "channel", label: "Channel", kind: "choice", choices: [choice("webhook"), choice("email")] },
    ],
    defaultSort: { column: "createdAtMs", order: "desc" },
  },
  quotas: {
    name: "quotas",
    title: "Quotas",
    lead: "Windows that are open now: what each key or wallet has used, and when it begins anew.",
    whenEmpty: "No window is open.",
    timeColumn: null,
    columns: [
      { key: "kind", label: "Kind", kind: "text", isSortable: true },
      { key: "subject", label: "Whose", kind: "code", isSortable: true },
      { key: "used", label: "Used", kind: "number", isSortable: true },
      { key: "reserved", label: "Set aside", kind: "number" },
      { key: "limit", label: "Limit", kind: "number" },
      moment("resetAtMs", "Resets"),
    ],
    filters: [
      {
        name: "kind",
        label: "Kind",
        kind: "choice",
        choices: [
          choice("token", "token (answers)"),
          choice("speech"),
          choice("crypto", "crypto (payments)"),
        ],
      },
      { name: "subject", label: "Whose, contains", kind: "contains" },
    ],
    defaultSort: { column: "used", order: "desc" },
  },
  limits: {
    name: "limits",
    title: "Rate limits",
    lead: "Who has used how much of which limit, as the limiter holds it now.",
    whenEmpty: "Nobody has used anything of a limit lately.",
    timeColumn: null,
    columns: [
      { key: "limiter", label: "Limit", kind: "text" },
      { key: "client", label: "Client", kind: "code" },
      { key: "points", label: "Used", kind: "number", isSortable: true },
      { key: "allowed", label: "Allowed", kind: "text" },
      moment("startedAtMs", "Since"),
      moment("expiresAtMs", "Forgotten"),
    ],
    filters: [
      {
        name: "limiter",
        label: "Limit",
        kind: "choice",
        choices: [
          "gate-access",
          "session",
          "nonce",
          "form-submission",
          "token-status",
          "chat",
          "tts",
          "mcp",
          "quota-reset",
          "operator",
        ].map((name) => choice(name)),
      },
      { name: "client", label: "Client begins with", kind: "prefix" },
    ],
    defaultSort: { column: "points", order: "desc" },
  },
  decisions: {
    name: "decisions",
    title: "Access decisions",
    lead: "Whom the gate let in and whom it turned away, and why.",
    whenEmpty: "No decision is recorded.",
    timeColumn: "atMs",
    columns: [
      moment("atMs", "When"),
      { key: "outcome", label: "Outcome", kind: "state" },
      { key: "route", label: "Route", kind: "text" },
      { key: "proof", label: "Proof", kind: "text" },
      { key: "address", label: "Wallet", kind: "code" },
      { key: "tokenId", label: "Key", kind: "code" },
      { key: "reason", label: "Reason", kind: "words" },
      { key: "clientId", label: "Client", kind: "code" },
      { key: "requestId", label: "Request", kind: "code" },
    ],
    filters: [
      { name: "outcome", label: "Outcome", kind: "choice", choices: [choice("granted"), choice("refused")] },
      { name: "tokenId", label: "Key", kind: "exact" },
      { name: "address", label: "Wallet begins with", kind: "prefix" },
      { name: "slug", label: "Refusal", kind: "exact" },
      { name: "requestId", label: "Request", kind: "exact" },
    ],
    defaultSort: { column: "atMs", order: "desc" },
    isExportable: true,
  },
  audit: {
    name: "audit",
    title: "Audit",
    lead: "What operators did here, and who tried to be one.",
    whenEmpty: "Nothing is recorded.",
    timeColumn: "atMs",
    columns: [
      moment("atMs", "When"),
      { key: "kind", label: "What", kind: "text", isSortable: true },
      { key: "clientId", label: "Client", kind: "code" },
      { key: "detail", label: "Detail", kind: "words" },
      { key: "requestId", label: "Request", kind: "code" },
    ],
    filters: [
      {
        name: "kind",
        label: "What",
        kind: "choice",
        choices: [
          choice("operator-sign-in", "signed in"),
          choice("operator-sign-in-refused", "wrong secret"),
          choice("operator-sign-out", "signed out"),
          choice("operator-export", "exported"),
          choice("operator-retry", "sent again"),
          choice("operator-mark", "marked"),
          choice("quota-reset", "quota reset"),
        ],
      },
      { name: "clientId", label: "Client", kind: "exact" },
    ],
    defaultSort: { column: "atMs", order: "desc" },
    isExportable: true,
  },
};

export function findTableSpec(name: string | undefined): TableSpec | null {
  return tableNames.some((known) => known === name) ? tableSpecs[name as TableName] : null;
}
