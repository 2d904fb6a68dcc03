import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testOnSqlite } from "~e2e/support/databases/database";
import { startServer } from "~e2e/support/running-server";
import { deployKeyContract, startLocalChain } from "../../contracts/local-chain.mjs";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";

/** Each test has its own server and mostly waits for it. Polls need their own test's `expect`. */
vi.setConfig({ testTimeout: 60_000 });

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

async function newDataDir(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), "latchkey-single-"));
}

function settings(): Record<string, string> {
  return { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, CHAIN_POLL_SECONDS: "1" };
}

test.concurrent(
  "a server behind a trusted proxy counts the client that the proxy names, otherwise the peer",
  async () => {
    const env = { ...settings(), RATE_LIMIT_NONCE: "2/60" };
    const [trusting, plain] = await Promise.all([
      startServer({ env: { ...env, TRUST_PROXY: "loopback" } }),
      startServer({ env }),
    ]);
    try {
      for (const [server, expected] of [
        [trusting, [200, 200, 200, 200]],
        [plain, [200, 200, 429, 429]],
      ] as const) {
        const statuses: number[] = [];
        for (const client of ["203.0.113.1", "203.0.113.2", "203.0.113.3", "2001:db8::1"]) {
          const { status } = await clientOf(server).ask({
            path: "/api/nonce",
            headers: { "X-Forwarded-For": client },
          });
          statuses.push(status);
        }
        expect(statuses).toEqual(expected);
      }
    } finally {
      await Promise.all([trusting.stop(), plain.stop()]);
    }
  },
);

test.concurrent(
  "a chain outage is 503 with Retry-After, and the gate admits again by itself",
  async ({ expect }) => {
    const chain = await startLocalChain();
    const { address } = await deployKeyContract({ rpcUrl: chain.rpcUrl });
    let isAway = false;
    // The server's RPC address. It can fail and recover without losing the chain.
    const proxy = http.createServer((request, response) => {
      if (isAway) return void request.socket.destroy();
      const forwarded = http.request(chain.rpcUrl, { method: "POST", headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(forwarded);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as { port: number };
    const server = await startServer({
      env: {
        RPC_URL: `http://127.0.0.1:${port}`,
        KEY_CONTRACT_ADDRESS: address,
        OWNERSHIP_CACHE_SECONDS: "0",
      },
    });
    const client = clientOf(server);
    try {
      const { privateKeyToAccount, generatePrivateKey } = await import("viem/accounts");
      const account = privateKeyToAccount(generatePrivateKey());
      isAway = true;
      const signIn = await client.signIn({ account, tokenId: "1" });
      expect([signIn.status, signIn.body.title]).toEqual([503, "Chain unavailable"]);
      expect(Number(signIn.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await client.ask({ path: "/api/token-status/1" })).status).toBe(503);
      await expect
        .poll(async () => (await client.ask({ path: "/readyz" })).status, { timeout: 5000 })
        .toBe(503);
      expect((await client.ask({ path: "/healthz" })).status).toBe(200);
      isAway = false;
      await expect
        .poll(async () => (await client.ask({ path: "/api/token-status/1" })).status, { timeout: 30_000 })
        .toBe(200);
      await expect
        .poll(async () => (await client.ask({ path: "/readyz" })).status, { timeout: 10_000 })
        .toBe(200);
    } finally {
      await server.stop();
      proxy.closeAllConnections();
      proxy.close();
      await chain.stop();
    }
  },
);

test.concurrent("a wrong contract address is reported at /readyz in words", async () => {
  const server = await startServer({
    env: { ...settings(), KEY_CONTRACT_ADDRESS: "0x00000000000000000000000000000000000000aa" },
  });
  try {
    const { status, body } = await clientOf(server).ask({ path: "/readyz" });
    expect(status).toBe(503);
    expect(JSON.stringify(body)).toContain("KEY_CONTRACT_ADDRESS");
  } finally {
    await server.stop();
  }
});

testOnSqlite(
  "a server whose database another process locks for writing is not ready, and says why",
  async () => {
    const dataDir = await newDataDir();
    const server = await startServer({ env: settings(), dataDir });
    const client = clientOf(server);
    const { default: Database } = await import("libsql");
    const blocker = new Database(path.join(dataDir, "latchkey.db"));
    const readiness = async () => {
      const { status, body } = await client.ask({ path: "/readyz" });
      const { database } = body.dependencies as { database: { state: string; detail?: string } };
      return { status, database };
    };
    try {
      expect((await readiness()).status).toBe(200);
      blocker.exec("BEGIN IMMEDIATE");
      await expect.poll(async () => (await readiness()).status, { timeout: 5000 }).toBe(503);
      const { status, database } = await readiness();
      expect([status, database.state]).toEqual([503, "down"]);
      expect(database.detail).toMatch(/not written: another process holds its write lock/);
      blocker.exec("ROLLBACK");
      await expect.poll(async () => (await readiness()).status, { timeout: 5000 }).toBe(200);
    } finally {
      blocker.close();
      await server.stop();
      await rm(dataDir, { recursive: true });
    }
  },
);

/** Every request waits five seconds for the lock before it is refused. A busy machine adds to that. */
const lockedTimeoutMs = 120_000;
/** With limits on, the limiter would wait for the lock first. */
const unlimited = { RATE_LIMIT_NONCE: "0", RATE_LIMIT_GATE_ACCESS: "0", RATE_LIMIT_FORM_SUBMISSION: "0" };

testOnSqlite(
  "proofs and forms are 503 with Retry-After while the database cannot be written, and accepted again after it",
  async () => {
    const dataDir = await newDataDir();
    const server = await startServer({ env: { ...settings(), ...unlimited }, dataDir });
    const client = clientOf(server);
    const { default: Database } = await import("libsql");
    const blocker = new Database(path.join(dataDir, "latchkey.db"));
    try {
      const holder = await gate.mintKey();
      const signIn = await client.siweBody(holder);
      const form = await client.formBody({ ...holder, message: "m" });
      blocker.exec("BEGIN IMMEDIATE");
      for (const [route, json] of [
        ["/api/gate-access", signIn],
        ["/api/form-submission-gate", form],
      ] as const) {
        const answer = await client.post(route, json);
        expect([answer.status, answer.body.type]).toEqual([
          503,
          `${client.origin}/problems/state-unavailable`,
        ]);
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      blocker.exec("ROLLBACK");
      expect((await client.post("/api/gate-access", signIn)).status).toBe(200);
      expect((await client.post("/api/form-submission-gate", form)).status).toBe(200);
    } finally {
      blocker.close();
      await server.stop();
      await rm(dataDir, { recursive: true });
    }
  },
  lockedTimeoutMs,
);

testOnSqlite(
  "a nonce that cannot be stored is 500, and never sent",
  async () => {
    const dataDir = await newDataDir();
    const server = await startServer({ env: { ...settings(), ...unlimited }, dataDir });
    try {
      expect((await clientOf(server).ask({ path: "/api/nonce" })).status).toBe(200);
      // Another process holds the database's write lock longer than the server waits.
      const { default: Database } = await import("libsql");
      const blocker = new Database(path.join(dataDir, "latchkey.db"));
      blocker.exec("BEGIN IMMEDIATE");
      const answer = await clientOf(server).ask({ path: "/api/nonce" });
      expect([answer.status, answer.body.title]).toEqual([500, "Nonce could not be issued"]);
      expect(answer.body.nonce).toBeUndefined();
      blocker.exec("ROLLBACK");
      blocker.close();
      expect((await clientOf(server).ask({ path: "/api/nonce" })).status).toBe(200);
    } finally {
      await server.stop();
      await rm(dataDir, { recursive: true });
    }
  },
  lockedTimeoutMs,
);

test.concurrent(
  "a gate without SIWE answers 501 for nonces, 400 for SIWE bodies, and accepts legacy signatures",
  async () => {
    const server = await startServer({
      env: { ...settings(), NEXT_PUBLIC_ENABLE_STATE_WORKER: "false", LEGACY_SIGNATURES: "fallback" },
    });
    const client = clientOf(server);
    try {
      const nonce = await client.ask({ path: "/api/nonce" });
      expect([nonce.status, nonce.body.title, nonce.body.type]).toEqual([
        501,
        "SIWE not enabled",
        `${server.origin}/problems/siwe-not-enabled`,
      ]);
      const holder = await gate.mintKey();
      const siwe = await client.post(
        "/api/gate-access",
        await client.siweBody({ ...holder, nonce: "0123456789abcdef" }),
      );
      expect([siwe.status, siwe.body.type]).toEqual([400, `${server.origin}/problems/siwe-not-enabled`]);
      expect((await client.post("/api/gate-access", await client.legacyBody(holder))).status).toBe(200);
    } finally {
      await server.stop();
    }
    const denying = await startServer({ env: { ...settings(), LEGACY_SIGNATURES: "deny" } });
    try {
      const holder = await gate.mintKey();
      const legacy = await clientOf(denying).post(
        "/api/gate-access",
        await clientOf(denying).legacyBody(holder),
      );
      expect([legacy.status, legacy.body.type]).toEqual([
        400,
        `${denying.origin}/problems/legacy-not-accepted`,
      ]);
    } finally {
      await denying.stop();
    }
  },
);

test.concurrent("metrics on a port of their own are not on the public port", async () => {
  const server = await startServer({ env: { ...settings(), METRICS_PORT: "0" } });
  try {
    expect((await clientOf(server).ask({ path: "/metrics" })).status).toBe(404);
    const line = server
      .output()
      .split("\n")
      .find((candidate) => candidate.includes("metrics port opened"))!;
    const { port } = JSON.parse(line) as { port: number };
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain("latchkey_http");
  } finally {
    await server.stop();
  }
});
