import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startRoundRobin } from "~e2e/support/providers/proxies";
import { hasRedis, launchRedis } from "~e2e/support/databases/redis";
import { hello } from "../api/chat-fixture";
import { openSite } from "./instances-fixture";
import type { Site } from "./instances-fixture";
import { openVisitors, sharingSettings, testSharing } from "./instances-sharing";

describe.skipIf(!hasRedis)("two servers on one PostgreSQL, with their state in one Redis", () => {
  let proxy: Awaited<ReturnType<typeof startRoundRobin>>;
  let redis: Awaited<ReturnType<typeof launchRedis>>;
  let viewer: Redis;
  let site: Site;
  beforeAll(async () => {
    [proxy, redis] = await Promise.all([startRoundRobin(), launchRedis()]);
    viewer = new Redis(redis.url, { password: redis.password });
    const state = { STATE_WORKER_URL: redis.url, STATE_WORKER_API_KEY: redis.password };
    site = await openSite(proxy.origin, { ...sharingSettings, ...state });
    proxy.setPorts(site.servers.map(({ port }) => port));
  }, 120_000);
  afterAll(async () => {
    await site.close();
    viewer.disconnect();
    await Promise.all([proxy.stop(), redis.stop()]);
  }, 60_000);

  const findSite = () => ({ site, origin: proxy.origin });
  testSharing(findSite);

  /** Kinds of our keys in Redis: the part before the first colon. */
  async function readKinds(): Promise<string[]> {
    const keys = await viewer.keys("latchkey:*");
    return [...new Set(keys.map((key) => key.split(":")[1]!))].sort();
  }

  test("nonces, limits and quotas are in Redis, and what must outlive it in PostgreSQL", async () => {
    const { database } = site;
    const { through, at, enterNew } = openVisitors(findSite);
    const { bearer, account, tokenId } = await enterNew();
    const question = { path: "/api/chat", method: "POST", json: hello };
    expect((await through().ask({ ...question, headers: bearer })).status).toBe(200);
    const form = await through().formBody({ account, tokenId, message: "to be kept" });
    expect((await through().post("/api/form-submission-gate", form)).status).toBe(200);
    expect((await at(1)({ path: "/api/quota", headers: bearer })).status).toBe(401);
    const fromElsewhere = { "X-Forwarded-For": "203.0.113.21" };
    const status = await at(1)({ path: `/api/token-status/${tokenId}`, headers: fromElsewhere });
    expect(status.status).toBe(200);

    expect(await database.usedKey.count({ where: { tokenId } })).toBe(1);
    expect(await database.submission.findMany({ where: { tokenId } })).toMatchObject([
      { message: "to be kept" },
    ]);
    expect(await database.notification.count()).toBeGreaterThan(0);
    expect(await database.auditEntry.count({ where: { kind: "quota-reset" } })).toBe(1);
    expect(await database.keyDeparture.count()).toBeGreaterThan(0);
    const elsewhere = [
      database.nonce.count(),
      database.rateLimitWindow.count(),
      database.rateLimitLog.count(),
      database.quotaWindow.count(),
      database.quotaReservation.count(),
    ];
    expect(await Promise.all(elsewhere)).toEqual([0, 0, 0, 0, 0]);
    expect(await viewer.keys("latchkey:rate:token-status:203.0.113.21")).toHaveLength(1);
    expect(await readKinds()).toEqual(expect.arrayContaining(["nonce", "rate", "{quota}"]));
  });

  test("emptying Redis leaves a used key used, and its token ended, at both servers", async () => {
    const { through, at, enterNew, enterAt } = openVisitors(findSite);
    const { bearer, account, tokenId } = await enterNew();
    const form = await through().formBody({ account, tokenId, message: "once" });
    expect((await through().post("/api/form-submission-gate", form)).status).toBe(200);
    await viewer.flushall();
    for (const index of [0, 1]) {
      expect((await enterAt(index, bearer)).status).toBe(403);
      const status = await at(index)({ path: `/api/token-status/${tokenId}` });
      expect(status.body).toMatchObject({ used: true });
    }
    expect((await through().post("/api/form-submission-gate", form)).status).not.toBe(200);
    expect((await through().signIn({ account, tokenId })).status).toBe(403);
  });
});
