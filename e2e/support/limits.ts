import { settings } from "~/platform/config/settings";

/** Every limit there is a setting for, each with numbers of its own, by which it can be told in a text. */
export function distinctLimits(): Record<string, { points: number; windowSeconds: number }> {
  const prefix = "RATE_LIMIT_";
  const names = settings.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return Object.fromEntries(
    names.map((name, index) => [
      name.toLowerCase().replaceAll("_", "-"),
      { points: 101 + index, windowSeconds: 11 + index },
    ]),
  );
}
