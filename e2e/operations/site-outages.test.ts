import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { openTcpSwitch } from "~e2e/support/browser/tcp-switch";
import { hasOpenssl } from "~e2e/support/certificates";
import { hasRedis, launchRedis } from "~e2e/support/databases/redis";
import { startNginxProxy } from "~e2e/support/door/site-proxies";
import { openSitesBehindProxy, walkIn, wikiOrigin } from "~e2e/support/door/sites-behind-proxy";
import type { SitesBehindProxy } from "~e2e/support/door/sites-behind-proxy";
import type { Visitor } from "~e2e/support/door/site-visitor";
import { findNginx } from "~e2e/support/obtain-programs";
import { waitUntil } from "~e2e/support/processes";

const hasNginx = hasOpenssl && findNginx() !== null;
const freshSeconds = 3;
const closers: (() => Promise<unknown>)[] = [];

type Line = { url: string; cut: () => void; mend: () => void };

/** The same address over a connection that can be cut. */
async function openLine(address: string): Promise<Line> {
  const url = new URL(address);
  const port = Number(url.port);
  const line = await openTcpSwitch();
  closers.push(line.close);
  line.leadTo(port);
  url.port = String(line.port);
  return { url: url.href, cut: () => line.leadTo(null), mend: () => line.leadTo(port) };
}

describe.skipIf(!hasNginx)("nginx with the files of docs/door.md, while a part is away", () => {
  let sites: SitesBehindProxy;
  const lines: { chain?: Line; database?: Line; redis?: Line } = {};
  let accounts = 0;

  beforeAll(async () => {
    const postgresql = await startPostgresql();
    closers.push(postgresql.stop);
    lines.database = await openLine(await postgresql.createDatabase());
    let redisPassword = "";
    if (hasRedis) {
      const redis = await launchRedis();
      closers.push(redis.stop);
      lines.redis = await openLine(redis.url);
      redisPassword = redis.password;
    }
    sites = await openSitesBehindProxy(startNginxProxy, {
      leadToChain: async (rpcUrl) => (lines.chain = await openLine(rpcUrl)).url,
      env: {
        OWNERSHIP_CACHE_SECONDS: String(freshSeconds),
        DATABASE_URL: lines.database.url,
        DATABASE_CONNECT_SECONDS: "1",
        ...(lines.redis && { STATE_WORKER_URL: lines.redis.url, STATE_WORKER_API_KEY: redisPassword }),
      },
    });
    closers.push(sites.close);
  }, 120_000);
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  }, 60_000);

  async function signIn(): Promise<Visitor> {
    const visitor = sites.openVisitor();
    await sites.signIn(visitor, await sites.mintKey((accounts += 1)));
    return visitor;
  }
  async function enter(): Promise<Visitor> {
    const visitor = await signIn();
    expect((await walkIn(visitor, `${wikiOrigin}/`)).status).toBe(200);
    return visitor;
  }
  const ask = (visitor: Visitor) => visitor.ask(`${wikiOrigin}/data`);

  /** The site gets no request, and the visitor keeps the cookie. */
  async function expectUnknown(visitor: Visitor): Promise<void> {
    const before = sites.wiki.countAnswered();
    const answer = await ask(visitor);
    expect([answer.status, answer.headers["retry-after"], answer.headers.location]).toEqual([
      ...[503, "5", undefined],
    ]);
    expect(visitor.cookieOf("wiki.example.com", "__Host-latchkey-door")).not.toBeNull();
    expect(sites.wiki.countAnswered()).toBe(before);
  }
  const isIn = async (visitor: Visitor) => (await ask(visitor)).status === 200;

  test("the chain: in while its last reading is fresh, then nobody", async () => {
    const visitor = await enter();
    const enteredAtMs = performance.now();
    lines.chain!.cut();
    expect(await isIn(visitor)).toBe(true);
    await waitUntil(async () => !(await isIn(visitor)));
    expect(performance.now() - enteredAtMs).toBeGreaterThan(freshSeconds * 1000 - 1000);
    await expectUnknown(visitor);
    lines.chain!.mend();
    await waitUntil(() => isIn(visitor), { timeoutMs: 20_000 });
  });

  test("the database: nobody", async () => {
    const visitor = await enter();
    lines.database!.cut();
    await expectUnknown(visitor);
    lines.database!.mend();
    await waitUntil(() => isIn(visitor), { timeoutMs: 20_000 });
  });

  test.skipIf(!hasRedis)("Redis: who is in stays in, and nobody new comes in", async () => {
    const [visitor, newcomer] = [await enter(), await signIn()];
    lines.redis!.cut();
    expect(await isIn(visitor)).toBe(true);
    await expect(walkIn(newcomer, `${wikiOrigin}/`)).rejects.toThrow("Latchkey answered 503");
    lines.redis!.mend();
    await waitUntil(async () => {
      const led = await walkIn(newcomer, `${wikiOrigin}/`).catch(() => null);
      return led?.status === 200;
    });
  });
});
