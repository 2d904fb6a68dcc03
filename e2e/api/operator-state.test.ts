import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFreePort } from "~e2e/support/free-port";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { startServer } from "~e2e/support/running-server";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { signInAsOperator } from "~e2e/support/operator-session";

const secret = "Qm7rV2kXw9TzLc4H";

let gate: Gate;
beforeAll(async () => void (gate = await openGate()));
afterAll(() => gate.close());

/** Another server on the gate's chain, with a signed-in operator. */
async function startSignedIn(env: Record<string, string>) {
  const server = await startServer({
    env: { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, OPERATOR_SECRET: secret, ...env },
  });
  onTestFinished(async () => void (await server.stop()));
  const { origin } = server;
  return { origin, cookie: await signInAsOperator({ origin, secret }) };
}

type Page = { status: number; text: string; rows: Map<string, { badge: string; why: string }> };

/** Reads the list from the rendered page. */
async function readPage({ origin, cookie }: { origin: string; cookie: string }): Promise<Page> {
  const answer = await fetch(`${origin}/operator/state`, { headers: { cookie } });
  const text = await answer.text();
  const item =
    /<li><span class="operator-badge[^>]*>([^<]+)<\/span><strong>([^<]+)<\/strong><span[^>]*>([^<]*)</g;
  const rows = [...text.matchAll(item)].map(([, badge, name, why]) => [
    name!.replaceAll("&#x27;", "'"),
    { badge: badge!, why: why!.replaceAll("&#x27;", "'") },
  ]) as [string, { badge: string; why: string }][];
  return { status: answer.status, text, rows: new Map(rows) };
}

test("a speech provider and a model that are away are shown as down, with the reason", async () => {
  const nobody = `http://127.0.0.1:${await findFreePort()}/v1`;
  const site = await startSignedIn({
    TTS_PROVIDER: "local",
    TTS_BASE_URL: nobody,
    AI_PROVIDER: "local",
    AI_BASE_URL: nobody,
    AI_MODELS: "small",
  });
  const { status, text, rows } = await readPage(site);
  expect(status).toBe(200);
  expect(text).toContain("something it can do without is down");
  expect(rows.get("Speech")?.badge).toBe("down");
  expect(rows.get("Speech")?.why).toContain("The provider of speech cannot be reached.");
  expect(rows.get("Model provider")?.badge).toBe("down");
  expect(rows.get("Model provider")?.why).toContain("The model provider cannot be reached.");
  expect(rows.get("Database")?.badge).toBe("up");
  expect(rows.has("Redis")).toBe(false);
});

test("speech that is switched off is shown as off, and not as a fault", async () => {
  const site = await startSignedIn({ TTS_PROVIDER: "disabled" });
  const { text, rows } = await readPage(site);
  expect(text).toContain("The service is ready.");
  expect(rows.get("Speech")).toEqual({ badge: "off", why: "TTS_PROVIDER is disabled." });
});

test("the switches of a server match its settings", async () => {
  const site = await startSignedIn({
    BASE_WALLET: "true",
    OFFLINE_PAGE: "false",
    SEARCH_GATED_NAMESPACES: "vault",
    RATE_LIMIT_CHAT: "0",
  });
  const { rows } = await readPage(site);
  const badges = ["Base wallet", "WalletConnect", "Offline page on visitors' devices", "Rate limits"].map(
    (name) => rows.get(name)?.badge,
  );
  expect(badges).toEqual(["on", "off", "off", "off"]);
  expect(rows.get("Namespaces for holders only")).toEqual({
    badge: "on",
    why: "SEARCH_GATED_NAMESPACES is vault.",
  });
  expect(rows.get("Rate limits")?.why).toContain("RATE_LIMIT_CHAT");
  expect(rows.get("State in Redis, shared by all instances")?.why).toContain("own database");
});

describe.skipIf(!hasRedis)("with state in Redis", () => {
  test("Redis has a row, which is down with the reason during an outage, and up again after it", async () => {
    const redis = await startRedis();
    const site = await startSignedIn({
      STATE_WORKER_URL: redis.url,
      STATE_WORKER_API_KEY: redis.password,
    });
    const before = await readPage(site);
    expect(before.rows.get("Redis")?.badge).toBe("up");
    expect(before.rows.get("State in Redis, shared by all instances")?.badge).toBe("on");

    await redis.kill();
    // Checks are cached for a second.
    await expect.poll(async () => (await readPage(site)).rows.get("Redis")?.badge).toBe("down");
    const away = await readPage(site);
    expect(away.status).toBe(200);
    expect(away.text).toContain("something it cannot do without is down");
    expect(away.rows.get("Redis")?.why).toContain("Redis is unreachable.");

    await redis.start();
    await expect
      .poll(async () => (await readPage(site)).rows.get("Redis")?.badge, { timeout: 15_000 })
      .toBe("up");
  });
});
