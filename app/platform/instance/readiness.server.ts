import type { Clock } from "../time/clock";
import { withDeadline } from "../time/deadline";

type DependencyState = {
  state: "up" | "down";
  latencyMs: number;
  detail?: string;
  /** For background work. */
  ageSeconds?: number;
};
export type ReadinessCheck = {
  /** The service is unready without it; without an optional one it is only degraded. */
  required: boolean;
  /** Throws if the dependency is unreachable. Returns a sentence if something else is wrong. */
  ask: () => Promise<string | null | { fault: string | null; ageSeconds: number }>;
  /** For strangers: never an address or an error of a third party. */
  whenDown: string;
};
export type Readiness = {
  status: "ready" | "degraded" | "unready";
  dependencies: Record<string, DependencyState>;
};

const askTimeoutMs = 3000;
/** Bounds the load that probes can cause. */
const sharedForMs = 1000;

export function createReadiness(checks: Record<string, ReadinessCheck>, clock: Clock) {
  let latest: { askedAtMs: number; readiness: Promise<Readiness> } | undefined;

  return function readReadiness(): Promise<Readiness> {
    const nowMs = clock();
    if (!latest || nowMs - latest.askedAtMs >= sharedForMs || nowMs < latest.askedAtMs) {
      latest = { askedAtMs: nowMs, readiness: askAll(checks) };
    }
    return latest.readiness;
  };
}

async function askAll(checks: Record<string, ReadinessCheck>): Promise<Readiness> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await askOne(check)] as const),
  );
  const isDown = (required: boolean) =>
    entries.some(([name, { state }]) => state === "down" && checks[name]?.required === required);
  return {
    status: isDown(true) ? "unready" : isDown(false) ? "degraded" : "ready",
    dependencies: Object.fromEntries(entries),
  };
}

async function askOne(check: ReadinessCheck): Promise<DependencyState> {
  const startedAt = performance.now();
  const latencyMs = () => Math.round((performance.now() - startedAt) * 10) / 10;
  try {
    const found = await withDeadline(check.ask(), askTimeoutMs);
    const { fault, ...age } = found === null || typeof found === "string" ? { fault: found } : found;
    return fault === null
      ? { state: "up", latencyMs: latencyMs(), ...age }
      : { state: "down", latencyMs: latencyMs(), detail: fault, ...age };
  } catch {
    return { state: "down", latencyMs: latencyMs(), detail: check.whenDown };
  }
}
