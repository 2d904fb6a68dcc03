import { expect, test } from "vitest";
import { longestRetryAfterMs, retryDelayMs, retryDelaysMs } from "./outbox";

test("six attempts fall within 75 minutes, jitter aside, and later ones are every six hours", () => {
  expect(retryDelaysMs).toHaveLength(6);
  const beforeSlowMs = retryDelaysMs.slice(0, -1).reduce((sum, delayMs) => sum + delayMs, 0);
  expect(beforeSlowMs).toBeLessThan(75 * 60_000);
  expect(retryDelaysMs.at(-1)).toBe(6 * 3_600_000);
});

test.each([
  { failures: 1, random: 0, ms: 4_000 },
  { failures: 1, random: 0.5, ms: 5_000 },
  { failures: 1, random: 0.999999, ms: 6_000 },
  { failures: 2, random: 0.5, ms: 30_000 },
  { failures: 6, random: 0.5, ms: 21_600_000 },
  { failures: 7, random: 0.5, ms: 21_600_000 },
  { failures: 1_000_000, random: 0.5, ms: 21_600_000 },
  { failures: 0, random: 0.5, ms: 5_000 },
])("after $failures failures, at random $random, the wait is $ms ms", ({ failures, random, ms }) => {
  expect(retryDelayMs(failures, random)).toBe(ms);
});

test("a receiver's Retry-After only lengthens the wait, and no further than a day", () => {
  expect(retryDelayMs(1, 0.5, 4_999)).toBe(5_000);
  expect(retryDelayMs(1, 0.5, 5_001)).toBe(5_001);
  expect(retryDelayMs(1, 0.5, 10 ** 12)).toBe(longestRetryAfterMs);
});
