import { expect, test } from "vitest";
import { takeTurns } from "./measure";

test("every side runs every round, each first in turn, and one failure ends the measurement", async () => {
  const order: string[] = [];
  const runner = (name: string) => async () => {
    order.push(name);
    return `${name}${order.length}`;
  };
  const runners = { a: runner("a"), b: runner("b"), c: runner("c") };
  expect(await takeTurns(runners, 3)).toEqual([
    { a: "a1", b: "b2", c: "c3" },
    { b: "b4", c: "c5", a: "a6" },
    { c: "c7", a: "a8", b: "b9" },
  ]);
  expect(order.join("")).toBe("abcbcacab");
  const failing = { ...runners, b: () => Promise.reject(new Error("an answer was wrong")) };
  await expect(takeTurns(failing, 1)).rejects.toThrow("an answer was wrong");
});
