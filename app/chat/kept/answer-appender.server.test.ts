import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createLogLines } from "~e2e/support/log-lines";
import { waitUntil } from "~e2e/support/processes";
import { AnswerAppender } from "./answer-appender.server";
import type { AppendRequest } from "./kept-answer-store.server";

/** A store that keeps nothing but what was asked of it. */
function openAppender() {
  const writes: AppendRequest[][] = [];
  let isAway = true;
  const appender = new AnswerAppender({
    leaseMs: 60_000,
    log: createLogLines().log,
    store: {
      append: async (requests) => {
        writes.push([...requests]);
        if (isAway) throw new Error("away");
        return requests.map(({ firstId, events }) => {
          return { outcome: "held", lastId: firstId - 1 + events.length, isStopAsked: false };
        });
      },
    },
  });
  function open(replyId: string) {
    const listener = { replyId, onStored: () => {}, onStopAsked: () => {}, onLost: () => {} };
    const appending = appender.open(listener, performance.now());
    onTestFinished(appending.close);
    return appending;
  }
  return { writes, open, appender, comeBack: () => void (isAway = false) };
}

test("a store that is away is asked ever less often, and usually again once it is back", async () => {
  const { writes, open, comeBack } = openAppender();
  const appending = open("reply-1");
  void appending.add("1", 1);
  await delay(2_200);
  // Every 150 ms it would be 14.
  expect(writes.length).toBeLessThan(7);
  comeBack();
  await waitUntil(() => appending.storedId() === 1);
  const before = writes.length;
  for (let id = 2; id < 8; id += 1) {
    void appending.add(String(id), id);
    await waitUntil(() => appending.storedId() === id);
  }
  expect(writes.length - before).toBe(6);
}, 20_000);

test("one write is of about 8 MiB at most, and every answer has its turn", async () => {
  const { writes, open, comeBack } = openAppender();
  const megabyte = "x".repeat(1024 * 1024);
  const all = Array.from({ length: 20 }, (_, index) => open(`reply-${index}`));
  for (const appending of all) void appending.add(megabyte, 1);
  await waitUntil(() => writes.length >= 3);
  comeBack();
  await waitUntil(() => all.every((appending) => appending.storedId() === 1));
  for (const write of writes) expect(write.flatMap(({ events }) => events).length).toBeLessThan(10);
  expect(new Set(writes.slice(0, 3).flatMap((write) => write.map(({ replyId }) => replyId))).size).toBe(20);
});

test("an ending waits a moment for others while another answer is under way or about to begin, and not for longer than that", async () => {
  const { writes, open, appender, comeBack } = openAppender();
  comeBack();
  const end = (appending: ReturnType<typeof open>) =>
    appending.end({ events: ["end"], usedTokens: 1, expiresAtMs: 1 });
  const [one, other] = [open("reply-1"), open("reply-2")];
  // The first write of all is done, and the next one is far away.
  void one.add("1", 1);
  await waitUntil(() => one.storedId() === 1);
  writes.length = 0;
  const isFirstStored = end(one);
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toEqual([]);
  const isOtherStored = end(other);
  expect(await Promise.all([isFirstStored, isOtherStored])).toEqual([true, true]);
  expect(writes.map((write) => write.map(({ replyId }) => replyId))).toEqual([["reply-1", "reply-2"]]);

  const alone = open("reply-3");
  const isAloneStored = end(alone);
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toHaveLength(2);
  expect(await isAloneStored).toBe(true);

  let begin = () => {};
  const beginning = appender.expect(() => new Promise<void>((resolve) => (begin = resolve)));
  const isLastStored = end(open("reply-4"));
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toHaveLength(2);
  expect(await isLastStored).toBe(true);
  begin();
  await beginning;
});
