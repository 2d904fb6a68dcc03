import type { Clock } from "~/platform/clock";

/** How long a refusal is remembered: servers are replaced, and some refuse for a passing reason. */
const rememberedMs = 600_000;

export type DeploylessMemory = {
  /** Of many who ask when a refusal is long ago, the first one is to try and the others are not. */
  shouldTry: () => boolean;
  /** Whether the last that is known is a refusal, however long ago. */
  wasRefused: () => boolean;
  noteRefusal: () => void;
  forget: () => void;
};

/** Remembers that calls which bring their own code are refused, so that they need not be tried each time. */
export function createDeploylessMemory(clock: Clock): DeploylessMemory {
  let refusedAtMs: number | null = null;

  return {
    shouldTry() {
      if (refusedAtMs === null) return true;
      const nowMs = clock();
      const ageMs = nowMs - refusedAtMs;
      if (ageMs >= 0 && ageMs < rememberedMs) return false;
      refusedAtMs = nowMs;
      return true;
    },
    wasRefused: () => refusedAtMs !== null,
    noteRefusal: () => void (refusedAtMs = clock()),
    forget: () => void (refusedAtMs = null),
  };
}
