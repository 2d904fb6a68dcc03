import { expect, test } from "vitest";
import { median, takeTurns } from "./measure";

test("every side runs in every round, each first in turn, and a failure ends the measurement", async () => {
  const order: string[] = [];
  const runners = ["a", "b", "c"].map((name) => async () => {
    order.push(name);
    return `${name}${order.length}`;
  });
  expect(await takeTurns(runners, 3)).toEqual([
    ["a1", "b2", "c3"],
    ["a6", "b4", "c5"],
    ["a8", "b9", "c7"],
  ]);
  const failing = [...runners, () => Promise.reject(new Error("a response was wrong"))];
  await expect(takeTurns(failing, 1)).rejects.toThrow("a response was wrong");
});

test("a median is the middle value, or lies between the middle two", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});
