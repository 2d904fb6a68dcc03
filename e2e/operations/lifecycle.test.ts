import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { startServer, testJwtSecret } from "~e2e/support/running-server";
import { shortenTimers } from "~e2e/support/measure/shortened-timers";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { sendRaw } from "../api/raw-http";

/** Each test has its own server and mostly waits for it. Polls need their own test's `expect`. */
vi.setConfig({ testTimeout: 60_000 });

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

async function newDataDir(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), "latchkey-lifecycle-"));
}

function settings(): Record<string, string> {
  return { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, CHAIN_POLL_SECONDS: "1" };
}

function runStart(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["app/commands/start.mjs"], {
      env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv,
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => resolve({ code, output }));
  });
}

test.concurrent("production refuses to start on defaults, with the full list of what to set", async () => {
  const { code, output } = await runStart({ PORT: "0" });
  expect(code).toBe(78);
  for (const name of ["CHAIN_ID", "RPC_URL", "KEY_CONTRACT_ADDRESS", "JWT_SECRET"])
    expect(output).toContain(name);
});

test.concurrent(
  "demo keys, a plain-HTTP origin and missing settings are refused together, each with what to set",
  async () => {
    const { code, output } = await runStart({
      PORT: "0",
      CHAIN_ID: "8453",
      WEBHOOK_URL: "http://hooks.example",
      SMTP_URL: "smtp://mail.example?requireTLS=perhaps",
      NOTIFY_EMAIL: "me@gate.example",
      JWT_SECRET: `demo-${"0123456789abcdef".repeat(2)}`,
      PUBLIC_ORIGIN: "http://gate.example",
    });
    expect(code).toBe(78);
    const [problems] = output.split("Besides");
    const listed = problems!.split("\n").filter((line) => line.startsWith("- "));
    expect(listed.map((line) => line.split(" ")[1]).sort()).toEqual([
      "JWT_SECRET",
      "KEY_CONTRACT_ADDRESS",
      "PUBLIC_ORIGIN",
      "RPC_URL",
      "SMTP_URL",
      "WEBHOOK_SECRET",
      "WEBHOOK_URL",
    ]);
    expect(output).toContain("openssl rand -hex 32");
    expect(output).toContain("must begin with https:// in production");
  },
);

test.concurrent("a port that is taken is named, with what to do", async () => {
  const { code, output } = await runStart({
    ...settings(),
    CHAIN_ID: "31337",
    JWT_SECRET: testJwtSecret,
    PORT: String(gate.server.port),
    DATA_DIR: gate.server.dataDir,
  });
  expect(code).toBe(1);
  expect(output).toContain(`Port ${gate.server.port} on 127.0.0.1 is taken`);
});

test.concurrent("npm start refuses the demo's mode", async () => {
  const { code, output } = await runStart({ LATCHKEY_MODE: "demo" });
  expect(code).toBe(78);
  expect(output).toContain("npm run demo");
});

test.concurrent(
  "two servers that start at once on an empty database both start, and share nonces and limits",
  async () => {
    const dataDir = await newDataDir();
    const env = {
      ...settings(),
      NEXT_PUBLIC_DOMAIN: "gate.example",
      PUBLIC_ORIGIN: "https://gate.example",
      RATE_LIMIT_NONCE: "10/60",
    };
    const servers = await Promise.all([startServer({ env, dataDir }), startServer({ env, dataDir })]);
    try {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_value, index) =>
          clientOf(servers[index % 2]!).ask({ path: "/api/nonce" }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(30);
      for (const { headers, body } of refused) {
        expect(body).toMatchObject({ limit: 10, remaining: 0, status: 429, title: "Too many requests" });
        expect(headers.get("retry-after")).toBe(String(body.retryAfter));
        expect(Number.isInteger(body.retryAfter)).toBe(true);
        expect(headers.get("x-ratelimit-limit")).toBe("10");
        expect(headers.get("x-ratelimit-remaining")).toBe("0");
        expect(headers.get("ratelimit-policy")).toBe('"nonce";q=10;w=60');
        expect(headers.get("ratelimit")).toMatch(/^"nonce";r=0;t=\d+$/);
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(dataDir, { recursive: true });
    }
  },
);

test.concurrent(
  "SIGTERM lets an open request finish, refuses new ones, and exits within ten seconds",
  async () => {
    const server = await startServer({ env: settings() });
    const body = "{}";
    const startedAt = performance.now();
    let stopped: Promise<number | null> | undefined;
    // Half a request has arrived when the signal comes. The other half follows.
    const answer = await sendRaw({
      port: server.port,
      bytes: `POST /api/gate-access HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      write: (socket) => {
        setTimeout(() => {
          stopped = server.stop();
          setTimeout(() => socket.write(body), 500);
        }, 200);
      },
    });
    expect(answer.status).toBe(401);
    expect(await stopped).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(server.output()).toContain('"shutdown complete"');
  },
);

test.concurrent("a client that never ends its request does not delay the stop", async () => {
  const server = await startServer({ env: settings() });
  const hanging = sendRaw({
    port: server.port,
    bytes: `POST /api/gate-access HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`,
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const startedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await hanging;
});

test.concurrent("a server whose log nobody reads any more stops as well", async () => {
  const server = await startServer({ env: settings() });
  server.child.stdout!.destroy();
  const startedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test.concurrent(
  "a form that was accepted is notified after a kill and a restart, under one id",
  async ({ expect }) => {
    const secret = `whsec_${randomBytes(24).toString("base64")}`;
    const receiver = await startWebhookReceiver(new Webhook(secret));
    const dataDir = await newDataDir();
    const env = { ...settings(), WEBHOOK_SECRET: secret };
    try {
      // Nothing listens there, so accepted notifications have to wait.
      const first = await startServer({ env: { ...env, WEBHOOK_URL: "http://127.0.0.1:9/hook" }, dataDir });
      const holder = await gate.mintKey();
      const client = clientOf(first);
      const form = await client.formBody({ ...holder, message: "before the crash" });
      expect((await client.post("/api/form-submission-gate", form)).status).toBe(200);
      await expect.poll(first.output, { timeout: 10_000 }).toContain("delivery failed");
      await first.kill();
      const second = await startServer({ env: { ...env, WEBHOOK_URL: receiver.url }, dataDir });
      try {
        await expect
          .poll(() => receiver.received.length, { timeout: 28_000, interval: 200 })
          .toBeGreaterThan(0);
        const [hook] = receiver.received;
        expect(hook).toMatchObject({ method: "POST", verified: true });
        expect(JSON.parse(hook!.body)).toMatchObject({
          type: "submission.received",
          data: {
            tokenId: holder.tokenId,
            message: "before the crash",
            address: holder.account.address.toLowerCase(),
          },
        });
        expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
      } finally {
        await second.stop();
      }
    } finally {
      await receiver.close();
      await rm(dataDir, { recursive: true });
    }
  },
  60_000,
);

test.concurrent("the server deletes expired rows once a minute by itself", async ({ expect }) => {
  const dataDir = await newDataDir();
  const nodeOptions = shortenTimers({ kind: "setTimeout", fromMs: 60_000, toMs: 50 });
  const server = await startServer({ env: settings(), dataDir, nodeOptions });
  const database = await openDatabase({ url: server.databaseUrl });
  try {
    const issued = { clientId: "somebody", issuedAtMs: 1n };
    const inAnHour = BigInt(Date.now() + 3_600_000);
    await database.nonce.create({ data: { ...issued, value: "living", expiresAtMs: inAnHour } });
    // Twice, so the sweep runs after the start as well.
    for (const value of ["first", "second"]) {
      await database.nonce.create({ data: { ...issued, value, expiresAtMs: 2n } });
      await expect
        .poll(async () => (await database.nonce.findMany()).map((nonce) => nonce.value), { timeout: 10_000 })
        .toEqual(["living"]);
    }
  } finally {
    await closeDatabase(database);
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
});
