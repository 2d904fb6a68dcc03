import { integer } from "~/platform/config/kinds";
import { ownSecret } from "~/platform/config/secret-strength";

export const operatorSettings = {
  /** null: there is no operator's view. */
  secret: ownSecret(
    "OPERATOR_SECRET",
    {},
    "Opens the operator's view at /operator. Without it there is no such view, and nothing is recorded for it. Another secret ends every session.",
  ),
  // Not below twice the grain in which a session's last use is written down.
  idleSeconds: integer(
    "OPERATOR_SESSION_IDLE_SECONDS",
    { min: 120, max: 86_400, default: 1800 },
    "A session of the operator's view ends after so long without a page.",
  ),
  maxSeconds: integer(
    "OPERATOR_SESSION_MAX_SECONDS",
    { min: 300, max: 604_800, default: 43_200 },
    "It ends after so long in any case.",
  ),
  decisionDays: integer(
    "OPERATOR_DECISIONS_DAYS",
    { min: 0, max: 365, default: 30, switches: { name: "Record of access decisions" } },
    "How long it is kept whom the gate let in or turned away, and why, with network addresses, in days; 0 records none.",
  ),
  maxDecisions: integer(
    "OPERATOR_DECISIONS_MAX",
    { min: 100, max: 1_000_000, default: 100_000 },
    "The most such decisions that are kept; older ones go first.",
  ),
  activityDays: integer(
    "OPERATOR_ACTIVITY_DAYS",
    { min: 1, max: 400, default: 90 },
    "How long the counts behind the charts are kept by the hour, in days.",
  ),
  auditDays: integer(
    "OPERATOR_AUDIT_DAYS",
    { min: 1, max: 3650, default: 365 },
    "How long it is kept what operators did, in days.",
  ),
};
