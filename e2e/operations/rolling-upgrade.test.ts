import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasOpenssl, sayWithoutOpenssl } from "~e2e/support/certificates";
import { findFreePort } from "~e2e/support/free-port";
import { placeConfiguration, startNginx } from "~e2e/support/providers/nginx";
import { findNginx } from "~e2e/support/obtain-programs";
import { query } from "~e2e/support/databases/postgresql-with-tools";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { readPlainBlocks, readShellBlocks, readyStatus } from "./operations-fixture";
import { startStandIns } from "./systemd-fixture";

const run = promisify(execFile);

/** A run without nginx says so when it begins. */
const nginx = hasOpenssl ? findNginx() : null;
sayWithoutOpenssl("the rolling upgrade of two servers behind docs/nginx.conf");

type Instance = { port: number; metricsPort: number; running?: RunningServer };

let gate: Gate;
let postgresql: Awaited<ReturnType<typeof startPostgresql>>;
let databaseUrl: string;
let root: string;
let origin: string;
let instances: Record<string, Instance>;
let standIns: Awaited<ReturnType<typeof startStandIns>>;
let proxy: Awaited<ReturnType<typeof startNginx>>;
/** Orders to systemd, with the `/readyz` status of both instances at that moment. */
const orders: [order: string, first: number | null, second: number | null][] = [];
let starting: Promise<void> = Promise.resolve();

beforeAll(async () => {
  if (nginx === null) return;
  [gate, postgresql] = await Promise.all([openGate(), startPostgresql()]);
  databaseUrl = await postgresql.createDatabase();
  root = await mkdtemp(path.join(os.tmpdir(), "latchkey-rolling-"));
  await mkdir(path.join(root, "opt"));
  await symlink(path.resolve("app"), path.join(root, "app"));
  const findPorts = async () => ({ port: await findFreePort(), metricsPort: await findFreePort() });
  instances = { 1: await findPorts(), 2: await findPorts() };
  for (const [number, { port }] of Object.entries(instances)) {
    await writeFile(path.join(root, `port-of-${number}`), String(port));
  }
  standIns = await startStandIns({ binDir: path.join(root, "bin"), obey });
  const port = await findFreePort();
  origin = `http://localhost:${port}`;
  const site = await placeConfiguration([
    ["    listen 80;\n", `    listen 127.0.0.1:${await findFreePort()};\n`],
    ["    listen 443 ssl;", `    listen 127.0.0.1:${port};`],
    ["127.0.0.1:3001", `127.0.0.1:${instances[1]!.port}`],
    ["127.0.0.1:3002", `127.0.0.1:${instances[2]!.port}`],
  ]);
  proxy = await startNginx({ program: nginx, deployment: site, port });
}, 120_000);
afterAll(async () => {
  if (nginx === null) return;
  await proxy?.stop();
  standIns?.close();
  await Promise.all(Object.values(instances).map(({ running }) => running?.stop()));
  await gate.close();
  await postgresql.stop();
  await rm(root, { recursive: true, force: true });
}, 60_000);

/** Starts the server as docs/latchkey@.service does. deploy-files.test.ts compares the two. */
async function startUnit(number: string): Promise<void> {
  const { port, metricsPort } = instances[number]!;
  instances[number]!.running = await startServer({
    projectDir: path.join(root, `opt/latchkey-${number}`),
    dataDir: path.join(root, `var-lib-latchkey-${number}`),
    // Visitors and the other instance continue meanwhile.
    startLimitMs: 60_000,
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      CHAIN_POLL_SECONDS: "1",
      DATABASE_URL: databaseUrl,
      TRUST_PROXY: "loopback",
      PUBLIC_ORIGIN: origin,
      NEXT_PUBLIC_DOMAIN: new URL(origin).host,
      RATE_LIMIT_NONCE: "0",
      RATE_LIMIT_TOKEN_STATUS: "0",
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    },
  });
}

const readinessOf = async (number: number) => {
  const { port } = instances[number]!;
  return await readyStatus({ origin: `http://127.0.0.1:${port}` }).catch(() => null);
};

async function obey(order: string): Promise<void> {
  orders.push([order, await readinessOf(1), await readinessOf(2)]);
  const [, verb, number] = /^(stop|enable --now) latchkey@([12])$/.exec(order)!;
  const instance = instances[number!]!;
  if (verb === "stop") {
    await instance.running?.stop();
    delete instance.running;
  } else if (!instance.running) {
    starting = startUnit(number!).catch(() => undefined);
  }
}

async function runShell(script: string): Promise<string> {
  const inSite = script
    .replaceAll("/opt/latchkey-", `${root}/opt/latchkey-`)
    .replaceAll("127.0.0.1:300$1", () => `127.0.0.1:$(cat "${root}/port-of-$1")`);
  const env = { ...process.env, PATH: `${path.join(root, "bin")}:${process.env.PATH}` };
  try {
    return (await run("bash", ["-c", inSite], { cwd: root, env })).stdout;
  } finally {
    await starting;
  }
}

async function addMigration(name: string, sql: string): Promise<void> {
  const dir = path.join(root, "assembled/prisma/migrations/postgresql", name);
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, "migration.sql"), sql);
}

/** A visitor who asks repeatedly through the proxy and records failures. */
function visit() {
  const failures: string[] = [];
  let count = 0;
  let isOver = false;
  const ended = (async () => {
    while (!isOver) {
      const address = ["/api/nonce", "/api/token-status/1", "/gate"][count++ % 3]!;
      const response = await fetch(`${origin}${address}`);
      await response.text();
      const waitSeconds = response.headers.get("Retry-After");
      // On a busy machine, a start may take longer than a visitor's request may wait.
      const isToldToWait = response.status === 503 && waitSeconds === "2";
      if (response.status !== 200 && !isToldToWait) failures.push(`${response.status} ${address}`);
      await delay(isToldToWait ? Number(waitSeconds) * 1_000 : 20);
    }
  })();
  return {
    leave: async () => {
      isOver = true;
      await ended;
      return { count, failures };
    },
  };
}

const hasMigration = (number: number, name: string) =>
  existsSync(path.join(root, `opt/latchkey-${number}/prisma/migrations/postgresql`, name));
const listMigrations = async () => {
  const sql = `SELECT migration_name AS name FROM _prisma_migrations`;
  return (await query<{ name: string }>(databaseUrl, sql)).map(({ name }) => name);
};

test.skipIf(nginx === null)(
  "two instances are replaced one after the other by the page's commands, and every request is answered",
  async () => {
    const [assemble] = await readShellBlocks("docs/deploying.md");
    const exchange = (await readPlainBlocks("docs/many-instances.md")).find((block) =>
      block.includes("exchange 1"),
    )!;
    const withoutVisitors = exchange.replace("    sleep 7\n", "    true\n");
    expect(withoutVisitors).not.toBe(exchange);
    await runShell(assemble!);
    await runShell(withoutVisitors);
    expect([await readinessOf(1), await readinessOf(2)]).toEqual([200, 200]);

    await addMigration("9999_later", `CREATE TABLE "Later" ("id" TEXT PRIMARY KEY);`);
    orders.length = 0;
    const visitor = visit();
    await runShell(exchange);
    const { count, failures } = await visitor.leave();
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(100);
    expect(orders).toEqual([
      ["stop latchkey@1", 200, 200],
      ["enable --now latchkey@1", null, 200],
      ["stop latchkey@2", 200, 200],
      ["enable --now latchkey@2", 200, null],
    ]);
    expect([hasMigration(1, "9999_later"), hasMigration(2, "9999_later")]).toEqual([true, true]);
    expect(await listMigrations()).toContain("9999_later");

    // A second run by mistake replaces nothing.
    const pids = Object.values(instances).map(({ running }) => running!.pid);
    await runShell(withoutVisitors);
    expect(Object.values(instances).map(({ running }) => running!.pid)).toEqual(pids);
    expect(existsSync(path.join(root, "opt/latchkey-1.old/prisma/migrations/postgresql/9999_later"))).toBe(
      false,
    );

    // If one doesn't start, the other instance goes on untouched.
    await addMigration("9999_wrong", "No statement at all;");
    const another = visit();
    await expect(runShell(exchange.replace("--retry 30", "--retry 2"))).rejects.toThrow();
    expect((await another.leave()).failures).toEqual([]);
    expect([instances[1]!.running, instances[2]!.running!.pid]).toEqual([undefined, pids[1]]);
    expect([await readinessOf(1), await readinessOf(2)]).toEqual([null, 200]);
    expect(hasMigration(2, "9999_wrong")).toBe(false);
    expect(await listMigrations()).not.toContain("9999_wrong");
  },
  300_000,
);
