import { integer } from "~/platform/config/kinds";
import { ownSecret } from "~/platform/config/secret-strength";

export const operatorSettings = {
  /** null: there is no operator's view. */
  secret: ownSecret(
    "OPERATOR_SECRET",
    {},
    "Opens the operator's view at /operator. Without it there is no view, and nothing is recorded for it. A new secret ends every session.",
  ),
  decisionDays: integer(
    "OPERATOR_DECISIONS_DAYS",
    { min: 0, max: 365, default: 30, switches: { name: "Record of access decisions" } },
    "Days for which access decisions are kept, at most 100,000: whom the gate let in or turned away, and why, with network addresses. 0 records none.",
  ),
};
