/** Something the visitor should know: what happened, why, and what to do now. */
export type GateNotice = {
  tone: "problem" | "info";
  title: string;
  detail: string;
  remedy: string;
  /** Seconds until trying again makes sense. */
  retryAfterSeconds: number | null;
  /** A page of ours that says more. */
  pagePath: string | null;
  /** What the operator needs to find the request in the log. */
  requestId: string | null;
  /** What the remedy speaks of, to be carried over by hand. */
  facts?: readonly (readonly [label: string, value: string])[];
};

export type GateActivity = "connect" | "network" | "mint" | "sign-in" | "form" | "reload" | "status";
