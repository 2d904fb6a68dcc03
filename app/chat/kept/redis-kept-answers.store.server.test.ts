import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { systemClock as clock } from "~/platform/clock";
import { defineScript } from "~/platform/redis/redis-script.server";
import type { Redis } from "~/platform/redis/redis.server";
import { hasRedis } from "~e2e/support/databases/redis";
import { createRedisState } from "~e2e/support/databases/state";
import { createRedisKeptAnswerStore } from "./redis-kept-answers.store.server";

const listScript = defineScript({
  name: "test-list",
  lua: `
  local answer = {}
  for _, key in ipairs(redis.call('KEYS', KEYS[1] .. '{kept}*')) do
    table.insert(answer, string.sub(key, #KEYS[1] + 8))
    table.insert(answer, redis.call('PTTL', key))
  end
  return answer`,
});

/** What is there of kept answers, and for how much longer; -1: for good. */
async function listKeys(redis: Redis): Promise<Map<string, number>> {
  const flat = (await redis.run({ script: listScript, keys: [""] })) as (string | number)[];
  return new Map(
    Array.from({ length: flat.length / 2 }, (_, index) => [
      String(flat[2 * index]),
      Number(flat[2 * index + 1]),
    ]),
  );
}

const conversation = { owner: "o", conversationId: "conversation-0001" };
const longMs = 60_000;

test.skipIf(!hasRedis)("nothing of an answer is in Redis a minute after its time", async () => {
  const { redis } = await createRedisState();
  const store = createRedisKeptAnswerStore(redis!, clock);
  const replyIds = Array.from({ length: 3 }, () => randomUUID());
  const [ended, broken, discarded] = replyIds as [string, string, string];
  for (const [index, replyId] of replyIds.entries()) {
    const own = { ...conversation, conversationId: `conversation-000${index}` };
    await store.begin({ ...own, replyId, openFor: "k", proofHash: null, maxOpen: 9, leaseMs: longMs });
  }
  const written = { leaseMs: longMs, firstId: 1, events: ["1", "2"], usedTokens: 1 };
  await store.append([{ ...written, replyId: broken, leaseMs: 0 }]);
  const underWay = await listKeys(redis!);
  expect([...underWay].filter(([, ttlMs]) => ttlMs < 0).map(([name]) => name)).toEqual(["under-way"]);

  const expiresAtMs = clock() + 5_000;
  await store.append([{ ...written, replyId: ended, ending: { endingId: 2, expiresAtMs } }]);
  await store.conclude({ replyId: broken, endingEvents: ["3"], expiresAtMs });
  await store.discard(discarded);
  const left = await listKeys(redis!);
  expect([...left.keys()].sort()).toEqual(
    [ended, broken]
      .flatMap((replyId) => [`answer:${replyId}`, `events:${replyId}`])
      .concat("conversation:o:conversation-0000", "conversation:o:conversation-0001")
      .sort(),
  );
  for (const ttlMs of left.values()) {
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThan(5_000 + 60_000);
  }
});

test.skipIf(!hasRedis)("an append that fails leaves the others their outcomes", async () => {
  const { redis } = await createRedisState();
  const replyIds = Array.from({ length: 3 }, () => randomUUID());
  const run: Redis["run"] = (call) =>
    call.parameters?.[0] === replyIds[1] && call.script.name === "kept-append"
      ? Promise.reject(new Error("cut"))
      : redis!.run(call);
  const store = createRedisKeptAnswerStore({ ...redis!, run }, clock);
  for (const [index, replyId] of replyIds.entries()) {
    const own = { ...conversation, conversationId: `conversation-000${index}` };
    await store.begin({ ...own, replyId, openFor: "k", proofHash: null, maxOpen: 9, leaseMs: longMs });
  }
  const written = { leaseMs: longMs, firstId: 1, events: ["1"], usedTokens: 1 };
  const outcomes = await store.append(replyIds.map((replyId) => ({ ...written, replyId })));
  expect(outcomes).toMatchObject([{ lastId: 1 }, { outcome: "unknown" }, { lastId: 1 }]);
});

test.skipIf(!hasRedis)(
  "an answer that Redis has forgotten is not found to be abandoned for ever",
  async () => {
    const { redis } = await createRedisState();
    const store = createRedisKeptAnswerStore(redis!, clock);
    const replyId = randomUUID();
    await store.begin({ ...conversation, replyId, openFor: "k", proofHash: null, maxOpen: 9, leaseMs: 0 });
    expect(await store.listAbandoned()).toEqual([replyId]);
    const forgetScript = defineScript({ name: "test-forget", lua: "return redis.call('DEL', KEYS[1])" });
    await redis!.run({ script: forgetScript, keys: [`{kept}:answer:${replyId}`] });
    expect(await store.conclude({ replyId, endingEvents: ["1"], expiresAtMs: clock() })).toBeNull();
    expect(await store.listAbandoned()).toEqual([]);
  },
);
