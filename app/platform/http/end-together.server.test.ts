import { setImmediate as letOthersRun } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { endTogether } from "./end-together.server";

afterEach(() => vi.useRealTimers());

test("answers of one tick are ended in a row once everything else of it is done", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const done: string[] = [];
  endTogether(() => done.push("first"));
  await Promise.resolve();
  done.push("work");
  endTogether(() => done.push("second"));
  await letOthersRun();
  expect(done).toEqual(["work", "first", "second"]);
  endTogether(() => done.push("third"));
  await letOthersRun();
  expect(done.at(-1)).toBe("third");
});

test("in a long tick, an answer waits for the next one and no longer", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const done: string[] = [];
  endTogether(() => done.push("first"));
  vi.advanceTimersByTime(2);
  endTogether(() => done.push("second"));
  expect(done).toEqual(["first", "second"]);
  endTogether(() => done.push("third"));
  expect(done).toHaveLength(2);
  await letOthersRun();
  expect(done).toHaveLength(3);
});
