import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readinessSchema } from "~/platform/openapi/service.openapi";
import { findFreePort } from "~e2e/support/free-port";
import { waitUntil } from "~e2e/support/processes";
import { startTcpGate } from "~e2e/support/providers/proxies";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { startServer } from "~e2e/support/running-server";
import { limitsOff } from "~e2e/support/limits";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

/** A dependency's timeout, doubled for a busy machine. */
const boundMs = 6_000;
const connectSeconds = 1;
const statementSeconds = 2;

let gate: Gate;
let postgresql: Awaited<ReturnType<typeof startPostgresql>>;
beforeAll(async () => {
  [gate, postgresql] = await Promise.all([openGate(), startPostgresql()]);
});
afterAll(async () => {
  await Promise.all([gate.close(), postgresql.stop()]);
});

/** The same address over a connection that can be held. */
async function lead(address: string) {
  const url = new URL(address);
  const way = await startTcpGate({ host: url.hostname, port: Number(url.port) });
  onTestFinished(way.stop);
  url.port = String(way.port);
  return { ...way, url: url.href };
}

const settings = {
  DATABASE_CONNECT_SECONDS: String(connectSeconds),
  DATABASE_STATEMENT_SECONDS: String(statementSeconds),
  DATABASE_POOL_SIZE: "4",
};

async function askReadiness(origin: string) {
  const startedAtMs = performance.now();
  const response = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(3 * boundMs) });
  const body = readinessSchema.parse(await response.json());
  return { status: response.status, body, tookMs: performance.now() - startedAtMs };
}

test("/readyz answers within its time limit whatever hangs, and is ready again by itself", async () => {
  const redis = hasRedis ? await startRedis() : null;
  const ways = {
    database: await lead(await postgresql.createDatabase()),
    chain: await lead(gate.chain.rpcUrl),
    ...(redis && { redis: await lead(redis.url) }),
  };
  const server = await startServer({
    env: {
      ...settings,
      ...limitsOff,
      DATABASE_URL: ways.database.url,
      RPC_URL: ways.chain.url,
      KEY_CONTRACT_ADDRESS: gate.contract,
      CHAIN_POLL_SECONDS: "1",
      ...(redis && { STATE_WORKER_URL: ways.redis!.url, STATE_WORKER_API_KEY: redis.password }),
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const isReady = async () => (await askReadiness(server.origin)).status === 200;
  await waitUntil(isReady);
  for (const [name, way] of [...Object.entries(ways), ["everything", null] as const]) {
    const held = way === null ? Object.values(ways) : [way];
    for (const one of held) one.hold();
    // Visitors' requests that use up every connection and every place in the queue.
    const visitors = Array.from({ length: 20 }, (_, index) =>
      fetch(`${server.origin}${index % 2 === 0 ? "/api/nonce" : "/api/token-status/1"}`),
    );
    await waitUntil(async () => !(await isReady()));
    const endsAtMs = performance.now() + 1_000 * (connectSeconds + statementSeconds);
    do {
      const answers = await Promise.all(Array.from({ length: 5 }, () => askReadiness(server.origin)));
      for (const { status, tookMs, body } of answers) {
        expect(tookMs, name).toBeLessThan(boundMs);
        expect([status, body.status], name).toEqual([503, "unready"]);
        if (way !== null) expect(body.dependencies[name]?.state).toBe("down");
      }
    } while (performance.now() < endsAtMs);
    for (const one of held) one.mend();
    await waitUntil(isReady, { timeoutMs: 15_000 });
    for (const visitor of visitors) expect((await visitor).status, name).toBeGreaterThanOrEqual(200);
  }
}, 120_000);

test("a server that is starting is live and not ready, and answers requests soon", async () => {
  const way = await lead(await postgresql.createDatabase());
  way.hold();
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { ...settings, DATABASE_URL: way.url, RPC_URL: gate.chain.rpcUrl, PORT: String(port) };
  const starting = startServer({ env: { ...env, KEY_CONTRACT_ADDRESS: gate.contract } });
  starting.catch(() => undefined);
  await waitUntil(() => fetch(`${origin}/readyz`).then(Boolean, () => false));
  for (const path of ["/readyz", "/readyz?from=here"]) {
    const response = await fetch(`${origin}${path}`, { signal: AbortSignal.timeout(2_000) });
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([503, "no-store"]);
    const body = readinessSchema.parse(await response.json());
    expect(body.dependencies.database.detail).toContain("still starting");
  }
  const alive = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(2_000) });
  expect([alive.status, await alive.json()]).toEqual([200, { status: "alive" }]);
  const page = { headers: { Accept: "text/html" } };
  const answers = await Promise.all(
    [
      fetch(`${origin}/api/nonce`),
      fetch(`${origin}/gate`, page),
      fetch(`${origin}/api/chat`, { method: "POST" }),
    ].map(async (asked) => {
      const response = await asked;
      return {
        status: response.status,
        wait: response.headers.get("Retry-After"),
        requestId: response.headers.get("X-Request-Id"),
        text: await response.text(),
      };
    }),
  );
  for (const { status, wait } of answers) expect([status, wait]).toEqual([503, "2"]);
  const [nonce, gatePage, chat] = answers.map(({ text }) => text);
  expect(JSON.parse(nonce!)).toMatchObject({ type: `http://localhost:${port}/problems/state-unavailable` });
  expect(gatePage).toContain("The server is still starting. Nothing was decided or changed.");
  expect(JSON.parse(chat!)).toEqual({ error: "State unavailable" });
  way.mend();
  const server = await starting;
  onTestFinished(async () => void (await server.stop()));
  await waitUntil(async () => (await askReadiness(origin)).status === 200);
  const log = server.output().split("\n");
  for (const { requestId } of answers) {
    expect(log.find((line) => line.includes(requestId!))).toContain(
      '"msg":"request refused during start-up"',
    );
  }
}, 60_000);

test("a stop during the start shuts down in order, and answers waiting requests", async () => {
  const way = await lead(await postgresql.createDatabase());
  way.hold();
  const port = await findFreePort();
  const env = { ...settings, DATABASE_URL: way.url, RPC_URL: gate.chain.rpcUrl, PORT: String(port) };
  let child: ChildProcess | undefined;
  const starting = startServer({
    env: { ...env, KEY_CONTRACT_ADDRESS: gate.contract },
    onSpawn: (spawned) => (child = spawned),
  });
  const ended = expect(starting).rejects.toThrow(
    /The server ended with 0\.\n[^]*"shutdown started"[^]*"shutdown complete"/,
  );
  ended.catch(() => undefined);
  const isAlive = () => fetch(`http://127.0.0.1:${port}/healthz`).then(Boolean, () => false);
  await waitUntil(isAlive, { timeoutMs: 20_000 });
  const waiting = fetch(`http://127.0.0.1:${port}/api/nonce`);
  // A request's arrival is invisible from outside, but one sent later has been answered.
  await fetch(`http://127.0.0.1:${port}/healthz`);
  child!.kill("SIGTERM");
  expect((await waiting).status).toBe(503);
  await ended;
}, 60_000);

test("a start before a database that never answers fails with an error in words", async () => {
  const way = await lead(await postgresql.createDatabase());
  way.hold();
  const env = { ...settings, DATABASE_URL: way.url, RPC_URL: gate.chain.rpcUrl };
  const start = startServer({ env: { ...env, KEY_CONTRACT_ADDRESS: gate.contract }, startLimitMs: 30_000 });
  await expect(start).rejects.toThrow(/The server ended with 1\.\n[^]*Latchkey cannot start\. .*timeout/);
}, 60_000);

test("connections lost silently delay requests only for their time limit", async () => {
  const way = await lead(await postgresql.createDatabase());
  const server = await startServer({
    env: {
      ...settings,
      ...limitsOff,
      DATABASE_URL: way.url,
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
    },
  });
  onTestFinished(async () => void (await server.stop()));
  const api = clientOf(server);
  await Promise.all(Array.from({ length: 20 }, () => api.ask({ path: "/api/nonce" })));
  const startedAtMs = performance.now();
  way.lose();
  let readyAtMs: number | undefined;
  // One statement on each lost connection times out, then there are new connections.
  while (performance.now() < startedAtMs + 2_000 * (connectSeconds + statementSeconds + 1)) {
    const { status, tookMs } = await askReadiness(server.origin);
    expect(tookMs).toBeLessThan(boundMs);
    if (status === 200) readyAtMs ??= performance.now();
    if (readyAtMs !== undefined) break;
  }
  expect(readyAtMs).toBeDefined();
  await waitUntil(async () => (await api.ask({ path: "/api/nonce" })).status === 200);
}, 60_000);
