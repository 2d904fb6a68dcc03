import type { Setting } from "./setting";

/** The part of the list of settings that is about the operator's view. */
export const operatorSettings = [
  {
    name: "OPERATOR_SECRET",
    group: "Operator",
    secret: true,
    effect:
      "Opens the operator's view at /operator; at least 16 characters and not to be guessed. Without it there is no such view, and nothing is recorded for it. Another secret ends every session.",
  },
  {
    name: "OPERATOR_SESSION_IDLE_SECONDS",
    group: "Operator",
    default: "1800",
    effect: "A session of the operator's view ends after so long without a page, 120 to 86400.",
  },
  {
    name: "OPERATOR_SESSION_MAX_SECONDS",
    group: "Operator",
    default: "43200",
    effect: "It ends after so long in any case, 300 to 604800.",
  },
  {
    name: "OPERATOR_DECISIONS_DAYS",
    group: "Operator",
    default: "30",
    effect:
      "How long it is kept whom the gate let in or turned away, and why, with network addresses: 1 to 365 days; 0 records none.",
  },
  {
    name: "OPERATOR_DECISIONS_MAX",
    group: "Operator",
    default: "100000",
    effect: "The most such decisions that are kept, 100 to 1000000; older ones go first.",
  },
  {
    name: "OPERATOR_ACTIVITY_DAYS",
    group: "Operator",
    default: "90",
    effect: "How long the counts behind the charts are kept by the hour, 1 to 400 days.",
  },
  {
    name: "OPERATOR_AUDIT_DAYS",
    group: "Operator",
    default: "365",
    effect: "How long it is kept what operators did, 1 to 3650 days.",
  },
] as const satisfies readonly Setting[];
