import { setImmediate as letOthersRun } from "node:timers/promises";
import { expect, test } from "vitest";
import { atEndOfTick } from "./end-of-tick.server";

test("at the end of a tick come the writes, who waited for them, what these write, and then the answers", async () => {
  const done: string[] = [];
  const write = (name: string) =>
    new Promise<void>((resolve) => {
      atEndOfTick("writes", () => {
        done.push(name);
        resolve();
      });
    });
  async function respond(): Promise<void> {
    await write("first write");
    await Promise.resolve();
    await write("second write");
    done.push("handler");
    atEndOfTick("answers", () => done.push("its answer"));
  }
  atEndOfTick("answers", () => done.push("answer without a write"));
  const responded = respond();
  done.push("rest of the tick");
  const nextTick = new Promise<void>((resolve) => setTimeout(resolve)).then(() => done.push("next tick"));
  await letOthersRun();
  await Promise.all([responded, nextTick]);
  expect(done).toEqual([
    "rest of the tick",
    "first write",
    "second write",
    "handler",
    "answer without a write",
    "its answer",
    "next tick",
  ]);
});

test("writes that follow from each other without end let the loop go on", async () => {
  let isOver = false;
  let writes = 0;
  function writeOn(): void {
    writes += 1;
    if (!isOver) atEndOfTick("writes", writeOn);
  }
  writeOn();
  for (let turn = 0; turn < 3; turn++) await letOthersRun();
  isOver = true;
  await letOthersRun();
  expect(writes).toBeGreaterThan(8);
  expect(writes).toBeLessThan(50);
});
