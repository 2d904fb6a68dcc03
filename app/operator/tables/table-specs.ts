import { rateLimitNames } from "~/platform/limits/limit-name";
import { channels } from "~/platform/outbox/outbox";
import { tableNames } from "./table-spec";
import type { RowAction, TableColumn, TableFilter, TableName, TableRow, TableSpec } from "./table-spec";

const column =
  (kind: TableColumn["kind"]) =>
  (key: string, label: string, sorting?: "sortable"): TableColumn => ({
    key,
    label,
    kind,
    isSortable: sorting === "sortable",
  });
const [text, number, code, words] = [column("text"), column("number"), column("code"), column("words")];
const state = column("state");
const moment = (key: string, label: string) => column("moment")(key, label, "sortable");

const tokenId = code("tokenId", "Key");
const keyKind = { ...text("keyKind", "Kind"), isOptional: true };
const missing = { ...text("missing", "Missing"), isOptional: true };
const site = { ...text("site", "Site"), isOptional: true };
const vault = { ...code("vault", "For"), isOptional: true };
const contract = code("contractAddress", "Contract");
const chain = text("chainId", "Chain");
const client = code("clientId", "Client");
const request = code("requestId", "Request");
const wallet = (key: string, sorting?: "sortable") => code(key, "Wallet", sorting);

const exact = ({ key, label }: TableColumn): TableFilter => ({ name: key, label, kind: "exact" });
const beginsWith = ({ key, label }: TableColumn): TableFilter => {
  return { name: key, label: `${label} begins with`, kind: "prefix" };
};
const contains = (name: string, label: string): TableFilter => ({ name, label, kind: "contains" });
/** Choices are values, or values with labels. */
function oneOf(
  { key, label }: TableColumn,
  choices: readonly string[] | Readonly<Record<string, string>>,
): TableFilter {
  const pairs = Array.isArray(choices)
    ? choices.map((value: string) => [value, value] as const)
    : Object.entries(choices);
  return { name: key, label, kind: "choice", choices: pairs };
}

const cell = (row: TableRow, key: string) => String(row[key] ?? "");

export function markSubmission(submissionId: string, isOpen: boolean, about: string): RowAction {
  const label = isOpen ? "Mark handled" : "Open again";
  const action = isOpen ? "mark-handled" : "mark-open";
  return { label, name: `${label}: ${about}`, action, fields: { submissionId } };
}

const rowState = state("state", "State");
const paymentState = state("state", "State", "sortable");
const deliveryChannel = text("channel", "Channel", "sortable");
const windowKind = text("kind", "Kind", "sortable");
const limiter = text("limiter", "Limit");
const limitedClient = code("client", "Client");
const outcome = state("outcome", "Outcome");
const transaction = code("transactionHash", "Transaction");
const auditKind = text("kind", "Action", "sortable");

const specs: Readonly<Record<TableName, Omit<TableSpec, "name">>> = {
  keys: {
    title: "Keys used",
    lead: "Keys that were used up, by the form or by a tool. They no longer open anything.",
    whenEmpty: "No key has been used up.",
    columns: [moment("usedAtMs", "Used"), tokenId, wallet("usedBy", "sortable"), contract, chain],
    filters: [exact(tokenId), beginsWith(wallet("usedBy"))],
    sortedBy: "usedAtMs",
    isExportable: true,
  },
  submissions: {
    title: "Submissions",
    lead: "Messages that holders sent with the one-time form.",
    whenEmpty: "Nothing has been sent.",
    columns: [
      moment("createdAtMs", "Sent"),
      tokenId,
      wallet("address", "sortable"),
      words("message", "Message"),
      rowState,
    ],
    filters: [
      oneOf(rowState, ["open", "handled"]),
      exact(tokenId),
      beginsWith(wallet("address")),
      contains("message", "Message contains"),
    ],
    sortedBy: "createdAtMs",
    isExportable: true,
    rowActions: (row) => {
      const about = `the submission of key ${cell(row, "tokenId")}`;
      const id = cell(row, "id");
      return [
        { label: "Open", name: `Open ${about}`, href: `/operator/submissions/${id}` },
        markSubmission(id, row.state === "open", about),
      ];
    },
  },
  outbox: {
    title: "Outbox",
    lead: "Notifications to you, one row for each channel.",
    whenEmpty: "Nothing has been queued.",
    columns: [
      moment("createdAtMs", "Queued"),
      text("kind", "About"),
      deliveryChannel,
      rowState,
      number("attempts", "Failures", "sortable"),
      moment("nextAttemptAtMs", "Next attempt"),
      words("lastError", "Last error"),
    ],
    filters: [
      oneOf(rowState, { waiting: "waiting", "given-up": "given up", delivered: "delivered" }),
      oneOf(deliveryChannel, channels),
    ],
    sortedBy: "createdAtMs",
    rowActions: (row) => {
      if (row.state === "delivered") return [];
      const [notificationId, channel] = [cell(row, "notificationId"), cell(row, "channel")];
      const name = `Send the ${channel} notification of ${cell(row, "kind")} now`;
      return [{ label: "Send now", name, action: "retry-delivery", fields: { notificationId, channel } }];
    },
    tableAction: { action: "retry-given-up", label: "Send all that were given up again" },
  },
  payments: {
    title: "Payments",
    lead: "Payments to holders. An open one counts in the limits until the chain shows its outcome.",
    whenEmpty: "Nobody has been paid.",
    columns: [
      moment("createdAtMs", "Signed"),
      wallet("recipient", "sortable"),
      text("amount", "Amount"),
      paymentState,
      number("nonce", "Nonce", "sortable"),
      text("blockNumber", "Block"),
      transaction,
      chain,
    ],
    filters: [
      oneOf(paymentState, { signed: "open", paid: "paid", failed: "failed" }),
      beginsWith(wallet("recipient")),
      exact(transaction),
    ],
    sortedBy: "createdAtMs",
    isExportable: true,
  },
  quotas: {
    title: "Quotas",
    lead: "Open windows: what each key has used, and when it resets.",
    whenEmpty: "No window is open.",
    columns: [
      windowKind,
      code("subject", "Subject", "sortable"),
      number("used", "Used", "sortable"),
      number("reserved", "Reserved"),
      number("limit", "Limit"),
      moment("resetAtMs", "Resets"),
    ],
    filters: [
      oneOf(windowKind, { token: "token (answers)", speech: "speech" }),
      contains("subject", "Subject contains"),
    ],
    isCurrent: true,
    sortedBy: "used",
    completeRow: (row, { findQuota }) => ({ ...row, limit: findQuota(cell(row, "kind")) }),
    rowActions: (row) => {
      const fields = { kind: cell(row, "kind"), subject: cell(row, "subject") };
      const name = `Reset the ${fields.kind} window of ${fields.subject}`;
      return [{ label: "Reset", name, action: "reset-window", fields }];
    },
    tableAction: {
      action: "reset-quotas",
      label: "Reset them",
      confirmation: {
        summary: "Reset all windows…",
        label: "Which",
        name: "scope",
        choices: [
          ["token", "answers and speech"],
          ["crypto", "payments"],
          ["both", "all of them"],
        ],
      },
    },
  },
  limits: {
    title: "Rate limits",
    lead: "Use of each limit by client.",
    whenEmpty: "No limit is in use.",
    columns: [
      limiter,
      limitedClient,
      number("points", "Used", "sortable"),
      text("allowed", "Allowed"),
      moment("startedAtMs", "Since"),
      moment("expiresAtMs", "Expires"),
    ],
    filters: [oneOf(limiter, rateLimitNames), beginsWith(limitedClient)],
    isCurrent: true,
    sortedBy: "points",
    completeRow: (row, { findLimit }) => {
      const limit = findLimit(cell(row, "limiter"));
      return { ...row, allowed: limit ? `${limit.points} in ${limit.windowSeconds} s` : "no limit now" };
    },
  },
  decisions: {
    title: "Access decisions",
    lead: "Visitors whom the gate let in or turned away, with the reasons.",
    whenEmpty: "No decision is recorded.",
    columns: [
      moment("atMs", "When"),
      outcome,
      text("route", "Route"),
      site,
      text("proof", "Proof"),
      wallet("address"),
      vault,
      tokenId,
      keyKind,
      words("reason", "Reason"),
      missing,
      client,
      request,
    ],
    filters: [
      oneOf(outcome, ["granted", "refused"]),
      exact(site),
      exact(tokenId),
      exact(keyKind),
      contains(missing.key, "Missing contains"),
      beginsWith(wallet("address")),
      beginsWith(vault),
      exact(text("slug", "Refusal")),
      exact(request),
    ],
    sortedBy: "atMs",
    isExportable: true,
    isBuffered: true,
  },
  audit: {
    title: "Audit",
    lead: "Actions of operators, and failed sign-ins counted by address and hour.",
    whenEmpty: "Nothing is recorded.",
    columns: [moment("atMs", "When"), auditKind, client, words("detail", "Detail"), request],
    filters: [
      oneOf(auditKind, {
        "operator-sign-in": "signed in",
        "operator-sign-in-refused": "wrong secret",
        "operator-sign-out": "signed out",
        "operator-export": "exported",
        "operator-retry": "sent again",
        "operator-mark": "marked",
        "operator-check": "checked a wallet",
        "quota-reset": "quota reset",
      }),
      exact(client),
    ],
    sortedBy: "atMs",
    isExportable: true,
  },
};

export const tableSpecs = Object.fromEntries(
  tableNames.map((name) => [name, { name, ...specs[name] }]),
) as Readonly<Record<TableName, TableSpec>>;

export function findTableSpec(name: string | undefined): TableSpec | null {
  return tableNames.some((known) => known === name) ? tableSpecs[name as TableName] : null;
}
