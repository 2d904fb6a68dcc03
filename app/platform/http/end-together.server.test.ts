import { setImmediate as letOthersRun } from "node:timers/promises";
import { expect, test } from "vitest";
import { endTogether } from "./end-together.server";

test("answers of one tick are ended in a row once everything else of it is done", async () => {
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
