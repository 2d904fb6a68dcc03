import { integer } from "~/platform/config/kinds";
import { ownSecret } from "~/platform/config/secret-strength";

export const operatorSettings = {
  /** null: there is no operator's view. */
  secret: ownSecret(
    "OPERATOR_SECRET",
    {},
    "Opens the operator's view at /operator. Without it there is no view, and nothing is recorded for it. A new secret ends every session.",
  ),
  // At least twice the grain of a session's last use.
  idleSeconds: integer(
    "OPERATOR_SESSION_IDLE_SECONDS",
    { min: 120, max: 86_400, default: 1800 },
    "Seconds without a request after which a session of the operator's view ends.",
  ),
  maxSeconds: integer(
    "OPERATOR_SESSION_MAX_SECONDS",
    { min: 300, max: 604_800, default: 43_200 },
    "Seconds after which such a session ends in any case.",
  ),
  decisionDays: integer(
    "OPERATOR_DECISIONS_DAYS",
    { min: 0, max: 365, default: 30, switches: { name: "Record of access decisions" } },
    "How many days access decisions are kept, with their reasons and network addresses; 0 records none.",
  ),
  maxDecisions: integer(
    "OPERATOR_DECISIONS_MAX",
    { min: 100, max: 1_000_000, default: 100_000 },
    "Most access decisions that are kept; older ones are deleted first.",
  ),
  activityDays: integer(
    "OPERATOR_ACTIVITY_DAYS",
    { min: 1, max: 400, default: 90 },
    "How many days the hourly counts behind the charts are kept.",
  ),
  auditDays: integer(
    "OPERATOR_AUDIT_DAYS",
    { min: 1, max: 3650, default: 365 },
    "How many days the audit of operators' actions is kept.",
  ),
};
