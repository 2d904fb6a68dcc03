import type { NoticeText } from "~/platform/http/notice";

export type GateNotice = NoticeText & {
  tone: "problem" | "info";
  /** What the remedy speaks of, to be carried over by hand. */
  facts?: readonly (readonly [label: string, value: string])[];
};

export type GateActivity = "connect" | "network" | "mint" | "sign-in" | "form" | "reload" | "status";
