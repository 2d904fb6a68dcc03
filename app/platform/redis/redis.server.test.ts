import { describe, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "~/testing/processes";
import { hasRedis, startRedis } from "~/testing/redis";
import { connectRedis } from "~/testing/state";
import { RedisOutage } from "./redis-outage";
import { defineScript } from "./redis-script.server";
import { openRedis } from "./redis.server";
import type { Redis } from "./redis.server";

const count = defineScript("return redis.call('INCR', KEYS[1])");

function increment(redis: Redis): Promise<unknown> {
  return redis.run({ script: count, keys: ["count"] });
}

async function recovers(redis: Redis): Promise<void> {
  await waitUntil(async () => {
    try {
      return (await redis.findFault()) === null;
    } catch {
      return false;
    }
  });
}

describe.skipIf(!hasRedis)("a real Redis", () => {
  test("a server that is gone is an outage at once, and one that is back is used without a restart", async () => {
    const server = await startRedis();
    const redis = await connectRedis({ server });
    expect(await redis.findFault()).toBeNull();
    expect(await increment(redis)).toBe(1);
    await server.kill();
    await expect(increment(redis)).rejects.toThrow(RedisOutage);
    await expect(redis.findFault()).rejects.toThrow(RedisOutage);
    await server.start();
    await recovers(redis);
    // It has forgotten the script it knew, and kept what was written.
    expect(await increment(redis)).toBe(2);
  });

  test("a server that hangs is an outage after the time for a command, and nothing is sent twice", async () => {
    const server = await startRedis();
    const redis = await connectRedis({ server, commandTimeoutMs: 100 });
    expect(await increment(redis)).toBe(1);
    server.pause();
    await expect(increment(redis)).rejects.toThrow(RedisOutage);
    server.resume();
    await recovers(redis);
    // What was sent before may have been carried out once, and not more than that.
    expect(await increment(redis)).toBeLessThanOrEqual(3);
  });

  test("a server that is away at the start is waited for in the background", async () => {
    const server = await startRedis();
    await server.kill();
    const warnings: string[] = [];
    const news: string[] = [];
    const redis = await openRedis({
      ...server,
      log: { warn: (_, message) => warnings.push(message), info: (_, message) => news.push(message) },
    });
    onTestFinished(() => redis.close());
    await expect(increment(redis)).rejects.toThrow(RedisOutage);
    await server.start();
    await recovers(redis);
    expect(await increment(redis)).toBe(1);
    expect(warnings).toEqual(["Redis cannot be reached; it is tried again until it answers"]);
    expect(news).toEqual(["Redis is back"]);
  });

  test("a wrong password is an outage, and is not told", async () => {
    const server = await startRedis();
    const lines: string[] = [];
    const redis = await openRedis({
      url: server.url,
      password: "a-wrong-password",
      log: { warn: (fields, message) => lines.push(message + String(fields.err)), info: () => {} },
    });
    onTestFinished(() => redis.close());
    await expect(increment(redis)).rejects.toThrow(RedisOutage);
    expect(lines.join()).not.toContain("a-wrong-password");
  });

  test("a script that is wrong is a defect and no outage", async () => {
    const redis = await connectRedis({ server: await startRedis() });
    const wrong = defineScript("return redis.call('NO-SUCH-COMMAND')");
    await expect(redis.run({ script: wrong })).rejects.not.toThrow(RedisOutage);
  });

  test("a server that may throw keys away has a fault, and one that is full or only reads is an outage", async () => {
    const forgetful = await startRedis({ settings: ["--maxmemory-policy", "allkeys-lru"] });
    const other = await openRedis(forgetful);
    onTestFinished(() => other.close());
    expect(await other.findFault()).toMatch(/maxmemory-policy is allkeys-lru/);

    const full = await openRedis(await startRedis({ settings: ["--maxmemory", "1"] }));
    onTestFinished(() => full.close());
    await expect(increment(full)).rejects.toThrow(RedisOutage);

    const follower = await openRedis(
      await startRedis({ settings: ["--replicaof", "127.0.0.1 1", "--replica-read-only", "yes"] }),
    );
    onTestFinished(() => follower.close());
    await expect(increment(follower)).rejects.toThrow(RedisOutage);
  });
});
