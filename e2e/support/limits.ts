import { rateLimitNames } from "~/platform/limits/limit-name";
import { limitSettings } from "~/platform/limits/limits.settings";

/** Every limit there is, each with numbers of its own, by which it can be told in a text. */
export function distinctLimits(): Record<string, { points: number; windowSeconds: number }> {
  return Object.fromEntries(
    rateLimitNames.map((name, index) => [name, { points: 101 + index, windowSeconds: 11 + index }]),
  );
}

/** For tests about something else. */
export const limitsOff: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(limitSettings).map(({ name }) => [name, "0"]),
);
