import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createLogLines } from "~e2e/support/log-lines";
import { waitUntil } from "~e2e/support/processes";
import { ReplyAppender } from "./reply-appender.server";
import type { AppendRequest } from "./kept-reply";

/** A store that keeps only the requests. */
function openAppender({ isAway = false } = {}) {
  const requests: (AppendRequest & { atMs: number })[] = [];
  const answer = { isAway };
  const appender = new ReplyAppender({
    replyId: "reply-1",
    leaseMs: 60_000,
    askedAtMs: performance.now(),
    onStored: () => {},
    onLost: () => {},
    log: createLogLines().log,
    store: {
      append: async (request) => {
        requests.push({ ...request, atMs: performance.now() });
        if (answer.isAway) throw new Error("away");
        return true;
      },
    },
  });
  onTestFinished(() => appender.close());
  return { requests, appender, answer };
}

test("an answer is stored at most every 150 ms, and its ending at once", async () => {
  const { requests, appender } = openAppender();
  for (let id = 1; id <= 40; id += 1) {
    void appender.add(String(id), id);
    await delay(10);
  }
  const endedAtMs = performance.now();
  expect(await appender.end(["end"], 40, 1)).toBe(true);
  expect(performance.now() - endedAtMs).toBeLessThan(140);
  const last = requests.pop()!;
  expect(last).toMatchObject({ ending: { endingId: 41 }, usedTokens: 40 });
  expect(last.events.at(-1)).toBe("end");
  expect(requests.length).toBeGreaterThan(0);
  for (const [index, { atMs }] of requests.entries())
    expect(atMs - (requests[index - 1]?.atMs ?? -Infinity)).toBeGreaterThanOrEqual(149);
});

test("a store that is away is asked less and less often, for the same events, and usually again once it is back", async () => {
  const { requests, appender, answer } = openAppender({ isAway: true });
  void appender.add("1", 1);
  await waitUntil(() => requests.length === 1);
  void appender.add("2", 2);
  await delay(2_200);
  // Every 150 ms it would be 14.
  expect(requests.length).toBeLessThan(7);
  expect(requests.map(({ events }) => events)).toEqual(requests.map(() => ["1"]));
  answer.isAway = false;
  await waitUntil(() => appender.storedId === 2);
  const before = requests.length;
  for (let id = 3; id < 8; id += 1) {
    void appender.add(String(id), id);
    await waitUntil(() => appender.storedId === id);
  }
  expect(requests.length - before).toBe(5);
}, 20_000);

test("a large backlog is stored in pieces, each with what the answer had used by then", async () => {
  const { requests, appender } = openAppender();
  const large = "x".repeat(100 * 1024);
  for (let id = 1; id <= 5; id += 1) void appender.add(large, id);
  expect(await appender.end(["end"], 9, 1)).toBe(true);
  expect(requests.map(({ firstId, usedTokens }) => [firstId, usedTokens])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 9],
  ]);
  expect(requests.map(({ ending }) => ending !== null)).toEqual([false, false, false, false, true]);
});
