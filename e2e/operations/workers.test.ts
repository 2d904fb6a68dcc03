import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { findFreePort } from "~e2e/support/free-port";
import { limitsOff } from "~e2e/support/limits";
import { isAlive, waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { clientOf } from "../api/gate-fixture";
import type { Answer } from "../api/gate-fixture";
import { sendRaw } from "../api/raw-http";
import {
  askAlone,
  findAnswering,
  findWorkers,
  openWorkers,
  readLogLines,
  startLimitMs,
  startLoad,
  sumSamples,
} from "./workers-fixture";

/** A process on another core gets a signal a moment later. */
const killMs = 100;
/** Far longer than the kernel takes to close a dead process's connections, but shorter than our own limits. */
const brokenMs = 8_000;

let site: Awaited<ReturnType<typeof openWorkers>>;
beforeAll(async () => {
  site = await openWorkers(2, limitsOff);
}, 120_000);
afterAll(() => site.close());
vi.setConfig({ testTimeout: 120_000 });

/** Another server on the same chain. */
async function startAnother(
  env: Record<string, string>,
  options: { nodeOptions?: string[]; isQuiet?: boolean } = {},
) {
  const server = await startServer({
    env: { RPC_URL: site.chain.rpcUrl, KEY_CONTRACT_ADDRESS: site.contract, ...limitsOff, ...env },
    startLimitMs,
    ...options,
  });
  onTestFinished(() => server.kill());
  return server;
}

/** A request that has begun, and completes half a second after `meanwhile`. */
function askSlowly(port: number, meanwhile: () => void) {
  const body = "{}";
  return sendRaw({
    port,
    bytes: `POST /api/gate-access HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    write: (socket) => {
      setTimeout(() => {
        meanwhile();
        setTimeout(() => socket.write(body), 500);
      }, 300);
    },
  });
}

async function untilReplaced(server: RunningServer, pid: number): Promise<void> {
  await waitUntil(() => findWorkers(server).length === 2 && !findWorkers(server).includes(pid), {
    timeoutMs: 60_000,
  });
}

test("two workers answer on one port, and the service opens once, when both are ready", async () => {
  await waitUntil(async () => {
    await askAlone({ port: site.server.port, path: "/healthz" });
    return findAnswering(site.server).size === 2;
  });
  expect([...findAnswering(site.server)].sort()).toEqual(findWorkers(site.server).sort());
  const opened = readLogLines(site.server).filter(({ msg }) => msg === "server ready");
  expect(opened).toMatchObject([{ pid: site.server.pid, port: site.server.port, workers: 2 }]);
});

test("metrics are those of all workers, whichever answers, and one process owns each lease", async () => {
  const nonces = 'latchkey_http_requests_total{route="/api/nonce"';
  const before = await site.sample(nonces);
  for (let asked = 0; asked < 6; asked += 1) await askAlone({ port: site.server.port, path: "/api/nonce" });
  for (let scrape = 0; scrape < 4; scrape += 1) expect((await site.sample(nonces)) - before).toBe(6);
  await expect.poll(() => site.sample('latchkey_lease_held{lease="watcher"}'), { timeout: 15_000 }).toBe(1);
  // Gauges that all processes read from one place are not summed.
  const allowed = await site.sample("latchkey_watcher_allowed_age_seconds ");
  const alone = await startAnother({ METRICS_PORT: "0", CHAIN_POLL_SECONDS: "1" });
  const { port } = readLogLines(alone).find(({ msg }) => msg === "metrics port opened")!;
  const { body } = await askAlone({ port: Number(port), path: "/metrics" });
  expect(body).toContain(`latchkey_watcher_allowed_age_seconds ${allowed}\n`);
  const names = (text: string) => [...text.matchAll(/^# TYPE (\S+ \S+)$/gm)].map(([, name]) => name).sort();
  expect(names(await site.readMetrics())).toEqual(names(body));
  const started = await site.sample("process_start_time_seconds ");
  expect(Math.abs(started - Date.now() / 1000)).toBeLessThan(3_600);
});

test("a worker killed under load breaks the requests it had open and no others, and is replaced", async () => {
  const { server } = site;
  const [victim] = findWorkers(server);
  const settings = 'latchkey_http_requests_total{route="/api/settings"';
  for (let asked = 0; asked < 10; asked += 1) await askAlone({ port: server.port, path: "/api/settings" });
  const counted = await site.sample(settings);
  expect(counted).toBeGreaterThanOrEqual(10);
  const load = startLoad(server.port);
  await waitUntil(() => load.asked.length > 100);
  const killedAtMs = performance.now();
  process.kill(victim!, "SIGKILL");
  await untilReplaced(server, victim!);
  await waitUntil(() => readLogLines(server).some(({ msg }) => msg === "worker replaced"), {
    timeoutMs: 30_000,
  });
  const [, replacement] = findWorkers(server);
  await waitUntil(() => findAnswering(server).has(replacement!));
  const asked = await load.end();
  const broken = asked.filter(({ status }) => status !== 200);
  expect(broken.filter(({ startedAtMs }) => startedAtMs > killedAtMs + killMs)).toEqual([]);
  // They break instead of staying open.
  expect(broken.filter(({ endedAtMs }) => endedAtMs > killedAtMs + brokenMs)).toEqual([]);
  expect(broken.filter(({ endedAtMs }) => endedAtMs < killedAtMs)).toEqual([]);
  expect(broken.length).toBeLessThanOrEqual(8);
  // The sums keep the dead worker's counts.
  expect(await site.sample(settings)).toBe(counted);
});

test("a worker that dies while metrics are collected is counted once", async () => {
  const METRICS_TOKEN = "metrics-token-of-the-tests-0123";
  const server = await startAnother({ WORKERS: "3", METRICS_TOKEN });
  const { port } = server;
  for (let asked = 0; asked < 12; asked += 1) await askAlone({ port, path: "/api/settings" });
  const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
  const scrape = async () => (await askAlone({ port, path: "/metrics", headers })).body;
  const settings = 'latchkey_http_requests_total{route="/api/settings"';
  expect(sumSamples(await scrape(), settings)).toBe(12);
  // One worker is silent, so the others' figures wait two seconds. Another dies meanwhile.
  const [silent, victim] = findWorkers(server);
  process.kill(silent!, "SIGSTOP");
  const scrapes = Array.from({ length: 24 }, () => scrape().catch(() => null));
  await delay(700);
  process.kill(victim!, "SIGKILL");
  const bodies = (await Promise.all(scrapes)).filter((body) => body !== null);
  process.kill(silent!, "SIGCONT");
  expect(bodies.length).toBeGreaterThan(0);
  for (const body of bodies) expect(sumSamples(body, settings)).toBe(12);
});

test("when all workers die within a second, the ports stay open and requests wait for the next one", async () => {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const server = await startAnother({ WORKERS: "2", PORT: String(port), METRICS_PORT: String(metricsPort) });
  const victims = findWorkers(server);
  const loads = [startLoad(port), startLoad(metricsPort, { connections: 2, path: "/metrics" })];
  await waitUntil(() => loads.every(({ asked }) => asked.length > 10));
  process.kill(victims[0]!, "SIGKILL");
  await delay(500);
  const lastKilledAtMs = performance.now();
  process.kill(victims[1]!, "SIGKILL");
  const replaced = () => readLogLines(server).filter(({ msg }) => msg === "worker replaced");
  await waitUntil(() => replaced().length === 2, { timeoutMs: 60_000 });
  for (const load of loads) {
    const asked = await load.end();
    const late = asked.filter(({ startedAtMs }) => startedAtMs > lastKilledAtMs + killMs);
    expect(late.length).toBeGreaterThan(0);
    const failed = late.filter(({ status }) => status !== 200);
    expect(failed.map(({ startedAtMs }) => startedAtMs - lastKilledAtMs)).toEqual([]);
  }
});

test("a worker that hangs is killed and replaced, and the other one serves meanwhile", async () => {
  const { server } = site;
  const [victim] = findWorkers(server);
  process.kill(victim!, "SIGSTOP");
  onTestFinished(() => {
    if (isAlive(victim!)) process.kill(victim!, "SIGKILL");
  });
  for (let asked = 0; asked < 20; asked += 1) {
    expect((await askAlone({ port: server.port, path: "/healthz" })).status).toBe(200);
  }
  await untilReplaced(server, victim!);
  expect(isAlive(victim!)).toBe(false);
  expect(readLogLines(server)).toContainEqual(
    expect.objectContaining({ msg: "worker hangs and is killed", worker: victim }),
  );
});

test("a stop lets the open requests of all workers end, and leaves nobody behind", async () => {
  const server = await startAnother({ WORKERS: "2" });
  const workers = findWorkers(server);
  expect(workers).toHaveLength(2);
  let stopped: Promise<number | null> | undefined;
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => askSlowly(server.port, () => (stopped ??= server.stop()))),
  );
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  expect(await stopped).toBe(0);
  expect(workers.filter(isAlive)).toEqual([]);
  const stops = readLogLines(server).filter(({ msg }) => msg === "shutdown complete");
  expect(stops.map(({ pid }) => pid).sort()).toEqual([server.pid, ...workers].sort());
});

test("when the supervisor is killed its workers finish what is open, and end", async () => {
  const server = await startAnother({ WORKERS: "2" });
  const workers = findWorkers(server);
  const answers = await Promise.all(
    Array.from({ length: 2 }, () => askSlowly(server.port, () => void server.child.kill("SIGKILL"))),
  );
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  await waitUntil(() => !workers.some(isAlive));
  expect(readLogLines(server).filter(({ msg }) => msg === "shutdown complete")).toHaveLength(2);
});

test("workers and supervisor whose log nobody reads any more stop as well", async () => {
  const server = await startAnother({ WORKERS: "2" });
  server.child.stdout!.destroy();
  expect(await server.stop()).toBe(0);
});

test("settings that are wrong are told once, and end the supervisor as they end a server", async () => {
  for (const WORKERS of ["3", "65"]) {
    const refused = await startServer({ env: { WORKERS, JWT_SECRET: "short" } }).catch(String);
    expect(refused).toContain("The server ended with 78.");
    expect(String(refused).split("- JWT_SECRET")).toHaveLength(2);
    expect(String(refused).includes("- WORKERS must be")).toBe(WORKERS !== "3");
  }
});

test("`auto` is a worker for each core that the process may use", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-workers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const preload = path.join(folder, "three-cores.mjs");
  await writeFile(preload, `import os from "node:os";\nos.availableParallelism = () => 3;\n`);
  const server = await startAnother({ WORKERS: "auto" }, { nodeOptions: ["--import", preload] });
  expect(findWorkers(server)).toHaveLength(3);
});

test("a worker that dies at every start is started once a second, and the service goes on", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-workers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const preload = path.join(folder, "die-second.mjs");
  await writeFile(preload, `if (process.argv[3] !== undefined) process.exit(3);\n`);
  const server = await startAnother({ WORKERS: "2" }, { nodeOptions: ["--import", preload], isQuiet: true });
  const countDeaths = () => readLogLines(server).filter(({ code }) => code === 3).length;
  await waitUntil(() => countDeaths() > 0);
  const [before, startedAtMs] = [countDeaths(), performance.now()];
  await delay(3_000);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  expect(countDeaths() - before).toBeGreaterThan(0);
  expect(countDeaths() - before).toBeLessThanOrEqual(Math.ceil(seconds));
  expect((await askAlone({ port: server.port, path: "/healthz" })).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test("of 200 sign-ins at once two workers admit exactly what the limit allows, and a nonce once", async () => {
  const limited = await startAnother({
    WORKERS: "2",
    RATE_LIMIT_GATE_ACCESS: "150/600",
    TRUST_PROXY: "loopback",
  });
  const client = clientOf(limited);
  const holder = await site.mintKey();
  /** On a busy machine, the chain may not answer everyone in time. */
  const count = (answers: Answer[]) => ({
    admitted: answers.filter(
      ({ status, body }) => status === 200 || String(body.type).endsWith("/chain-unavailable"),
    ).length,
    refused: answers.filter(({ status }) => status === 401).length,
    limited: answers.filter(({ status }) => status === 429).length,
  });
  const newBody = async (address: string) => {
    const { body } = await client.ask({ path: "/api/nonce", headers: { "X-Forwarded-For": address } });
    return await client.siweBody({ ...holder, nonce: String(body.nonce) });
  };
  const signInAtOnce = (address: string, bodies: unknown[]) =>
    Promise.all(bodies.map((json) => client.post("/api/gate-access", json, { "X-Forwarded-For": address })));

  const bodies = [];
  for (let index = 0; index < 200; index += 1) bodies.push(await newBody("203.0.113.1"));
  const own = await signInAtOnce("203.0.113.1", bodies);
  expect(count(own)).toEqual({ admitted: 150, refused: 0, limited: 50 });
  const one = await newBody("203.0.113.2");
  const shared = await signInAtOnce("203.0.113.2", Array<unknown>(200).fill(one));
  expect(count(shared)).toEqual({ admitted: 1, refused: 149, limited: 50 });
  expect(findAnswering(limited).size).toBe(2);
});
