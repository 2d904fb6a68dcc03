import { inspect } from "node:util";
import { Redis as Client } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasOpenssl, makeCertificates, sayWithoutOpenssl } from "~e2e/support/certificates";
import { findFreePort } from "~e2e/support/free-port";
import { waitUntil } from "~e2e/support/processes";
import { canRedisEncrypt, hasRedis, startRedis } from "~e2e/support/databases/redis";
import { connectRedis } from "~e2e/support/databases/state";
import { createLog } from "~/platform/log/log.server";
import { RedisOutage } from "./redis-outage";
import { defineScript } from "./redis-script.server";
import { openRedis } from "./redis.server";
import type { Redis } from "./redis.server";

sayWithoutOpenssl("a Redis whose certificate is not trusted");

const count = defineScript({ name: "count", lua: "return redis.call('INCR', KEYS[1])" });

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
  test("a stopped server is an outage at once, and is used again without a restart when it is back", async () => {
    const server = await startRedis();
    const redis = await connectRedis({ server });
    expect(await redis.findFault()).toBeNull();
    expect(await increment(redis)).toBe(1);
    await server.kill();
    await expect(increment(redis)).rejects.toThrow(RedisOutage);
    await expect(redis.findFault()).rejects.toThrow(RedisOutage);
    await server.start();
    await recovers(redis);
    // Redis has lost the script but kept the data.
    expect(await increment(redis)).toBe(2);
  });

  test("a server that hangs is an outage after a command's time limit, and nothing is sent twice", async () => {
    const server = await startRedis();
    const redis = await connectRedis({ server, commandTimeoutMs: 100 });
    expect(await increment(redis)).toBe(1);
    server.pause();
    await expect(increment(redis)).rejects.toThrow(RedisOutage);
    server.resume();
    await recovers(redis);
    // A command sent before may have run once, but not twice.
    expect(await increment(redis)).toBeLessThanOrEqual(3);
  });

  test("a server that is down at the start is waited for in the background", async () => {
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
    expect(warnings).toEqual(["Redis unavailable; retrying until it answers"]);
    expect(news).toEqual(["Redis available again"]);
  });

  test.skipIf(!hasOpenssl || !canRedisEncrypt())(
    "a server that comes back with an untrusted certificate is logged once more, with the reason",
    async () => {
      const { certificateFile, keyFile, authorityFile, remove } = await makeCertificates();
      onTestFinished(remove);
      const tlsPort = await findFreePort();
      const files = ["--tls-cert-file", certificateFile, "--tls-key-file", keyFile];
      const authority = ["--tls-ca-cert-file", authorityFile, "--tls-auth-clients", "no"];
      const server = await startRedis({ settings: ["--tls-port", String(tlsPort), ...files, ...authority] });
      await server.kill();
      const faults: unknown[] = [];
      const redis = await openRedis({
        url: `rediss://localhost:${tlsPort}`,
        password: server.password,
        log: { warn: ({ fault }) => faults.push(fault), info: () => undefined },
      });
      onTestFinished(() => redis.close());
      await expect(redis.findFault()).rejects.toThrow(RedisOutage);
      await server.start();
      await waitUntil(async () => {
        const fault = await redis.findFault().catch(() => null);
        return fault?.startsWith("Redis is not trusted: no authority that this process knows") === true;
      });
      expect(faults).toEqual([undefined, await redis.findFault()]);
    },
  );

  test("a wrong password is an outage, and is not logged", async () => {
    const server = await startRedis();
    const lines: string[] = [];
    const redis = await openRedis({
      url: server.url,
      password: "a-wrong-password",
      log: createLog("trace", { write: (line) => lines.push(line) }),
    });
    onTestFinished(() => redis.close());
    await expect(increment(redis)).rejects.toThrow(RedisOutage);
    await waitUntil(async () => {
      const fault = await redis.findFault().catch(() => null);
      return fault?.startsWith("Redis refuses the password in STATE_WORKER_API_KEY") === true;
    });
    expect(lines.join()).toContain("WRONGPASS");
    expect(lines.join()).not.toContain("a-wrong-password");
    // Each attempt fails in the same way.
    const admin = new Client(server.url, { password: server.password });
    onTestFinished(() => admin.disconnect());
    const attempts = async () =>
      Number(/^errorstat_WRONGPASS:count=(\d+)/m.exec(await admin.info("errorstats"))?.[1]);
    const before = await attempts();
    await waitUntil(async () => (await attempts()) >= before + 3);
    expect(lines).toHaveLength(1);
  });

  test("a required password that is not set is reported", async () => {
    const redis = await openRedis({ url: (await startRedis()).url, password: null });
    onTestFinished(() => redis.close());
    await waitUntil(async () => {
      const fault = await redis.findFault().catch(() => null);
      return fault?.startsWith("Redis asks for a password, and none is set.") === true;
    });
  });

  test("an invalid script is a defect and no outage", async () => {
    const redis = await connectRedis({ server: await startRedis() });
    const wrong = defineScript({ name: "wrong", lua: "return redis.call('NO-SUCH-COMMAND')" });
    await expect(redis.run({ script: wrong })).rejects.not.toThrow(RedisOutage);
  });

  test("every command is recorded by its script's name and outcome, without keys and values", async () => {
    const server = await startRedis();
    const told: { command: string; outcome: string }[] = [];
    const redis = await openRedis({
      ...server,
      commandTimeoutMs: 200,
      instrument: {
        observe: ({ durationSeconds, ...call }) => {
          expect(durationSeconds).toBeGreaterThan(0);
          told.push(call);
        },
      },
    });
    onTestFinished(() => redis.close());
    await recovers(redis);
    told.length = 0;
    const keys = ["a-nonce-0123456789"];
    await redis.run({ script: count, keys, parameters: ["198.51.100.7"] });
    await redis.findFault();
    const wrong = defineScript({ name: "wrong", lua: "return redis.call('NO-SUCH-COMMAND')" });
    await expect(redis.run({ script: wrong, keys })).rejects.toThrow();
    server.pause();
    await expect(redis.run({ script: count, keys })).rejects.toThrow(RedisOutage);
    server.resume();
    expect(told).toEqual([
      { command: "count", outcome: "ok" },
      { command: "probe", outcome: "ok" },
      { command: "INFO", outcome: "ok" },
      { command: "wrong", outcome: "error" },
      { command: "count", outcome: "away" },
    ]);
  });

  test("an error of Redis names neither the keys nor the values of the command", async () => {
    const server = await startRedis();
    const redis = await connectRedis({ server, commandTimeoutMs: 500 });
    const call = { keys: ["a-nonce-0123456789"], parameters: ["198.51.100.7"] };
    const wrong = defineScript({ name: "wrong", lua: "return redis.call('NO-SUCH-COMMAND')" });
    const failures = [await redis.run({ ...call, script: wrong }).catch((error: unknown) => error)];
    server.pause();
    const cutOff = redis.run({ ...call, script: count }).catch((error: unknown) => error);
    await server.kill();
    failures.push(await cutOff, await redis.run({ ...call, script: count }).catch((error: unknown) => error));
    expect(failures.map((error) => (error as Error).name)).toEqual([
      "ReplyError",
      "RedisOutage",
      "RedisOutage",
    ]);
    const shown = inspect(failures, { depth: 10, showHidden: true });
    expect(shown).not.toContain("a-nonce");
    expect(shown).not.toContain("198.51.100.7");
  });

  test("a server that may evict keys has a fault, and one that is full or read-only is an outage", async () => {
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
