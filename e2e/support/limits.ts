import { rateLimitNames } from "~/platform/limits/limit-name";
import { limitSettings } from "~/platform/limits/limits.settings";

/** All limits with different numbers, so a text shows which one it means. */
export function distinctLimits(): Record<string, { points: number; windowSeconds: number }> {
  return Object.fromEntries(
    rateLimitNames.map((name, index) => [name, { points: 101 + index, windowSeconds: 11 + index }]),
  );
}

/** For tests about something else. */
export const limitsOff: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(limitSettings).map(({ name }) => [name, "0"]),
);
