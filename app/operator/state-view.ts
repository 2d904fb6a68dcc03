import type { Switch } from "~/platform/config/setting";

/** `unsure`: unreachable, or works less than it should. */
export type DependencyView = { name: string; state: "up" | "down" | "unsure" | "off"; facts: string[] };

export type StateView = {
  status: "ready" | "degraded" | "unready";
  readAtMs: number;
  dependencies: DependencyView[];
  switches: Switch[];
};
