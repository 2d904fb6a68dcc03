import type { ServerResponse } from "node:http";
import { setImmediate as letOthersRun } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endTogether } from "./end-together.server";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const done: string[] = [];
beforeEach(() => void done.splice(0));
const destroy = vi.fn();
const response = { destroy } as unknown as ServerResponse;
const end = (name: string) => endTogether(response, () => done.push(name));

test("answers of one tick are ended in a row once everything else of it is done", async () => {
  end("first");
  await Promise.resolve();
  done.push("work");
  end("second");
  await letOthersRun();
  expect(done).toEqual(["work", "first", "second"]);
  end("third");
  await letOthersRun();
  expect(done.at(-1)).toBe("third");
});

test("in a long tick, an answer waits for the next one and no longer", async () => {
  end("first");
  vi.advanceTimersByTime(2);
  end("second");
  expect(done).toEqual(["first", "second"]);
  end("third");
  expect(done).toHaveLength(2);
  await letOthersRun();
  expect(done).toHaveLength(3);
});

test("an answer that cannot be ended holds up no other, and its connection is closed", async () => {
  const error = new Error("no end");
  endTogether(response, () => {
    throw error;
  });
  end("second");
  await letOthersRun();
  expect(done).toEqual(["second"]);
  expect(destroy).toHaveBeenCalledExactlyOnceWith(error);
});
