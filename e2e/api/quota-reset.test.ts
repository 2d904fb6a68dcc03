import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemClock as clock } from "~/platform/time/clock";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { createQuotaStore } from "~/quota/quota.store.server";
import { ownerOfAddress, ownerOfKey } from "~/quota/quota-subject";
import type { QuotaOwner } from "~/quota/quota-subject";
import { waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import { combinePlaced, tokenPlacements } from "~e2e/support/token-placements";
import { clientOf, openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";

const secret = "operator-secret-of-the-tests";
const off = {
  RATE_LIMIT_NONCE: "0",
  RATE_LIMIT_GATE_ACCESS: "0",
  RATE_LIMIT_FORM_SUBMISSION: "0",
  RATE_LIMIT_QUOTA_RESET: "0",
};
const active = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true", AI_QUOTA_RESET_SECRET: secret };

let gate: Gate;
let database: Database;
beforeAll(async () => {
  gate = await openGate({ env: { ...off, ...active } });
  database = await openDatabase({ url: gate.server.databaseUrl });
});
afterAll(async () => {
  await closeDatabase(database);
  await gate.close();
});

function ownerOf(tokenId: string): QuotaOwner {
  return ownerOfKey({ chainId: 31337, contractAddress: gate.contract, tokenId });
}

/** Uses the quota as a reply does, from another process on the server's database. */
async function useQuota(owner: QuotaOwner, usedTokens: number): Promise<void> {
  const store = createQuotaStore(database, clock, "the test");
  const outcome = await store.reserve({
    owner,
    wanted: usedTokens,
    limit: 20_000,
    windowSeconds: 86_400,
    expiresInSeconds: 600,
  });
  if (outcome.outcome === "exhausted") throw new Error("The quota is exhausted.");
  await store.settle({ reservationId: outcome.reservationId, usedTokens });
}

async function signInNew() {
  const holder = await gate.mintKey();
  const token = String((await gate.signIn(holder)).body.accessToken);
  return { ...holder, token };
}

function readQuota(token: string): Promise<Answer> {
  return gate.ask({ path: "/api/quota", headers: { Authorization: `Bearer ${token}` } });
}

function reset(json: unknown, headers: Record<string, string> = { "x-quota-reset-secret": secret }) {
  return gate.post("/api/quota-reset", json, headers);
}

async function startVariant(env: Record<string, string | undefined>, dataDir?: string) {
  const server = await startServer({
    env: { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, ...off, ...active, ...env },
    dataDir,
  });
  onTestFinished(async () => void (await server.stop()));
  return { server, ...clientOf(server) };
}

test("a holder sees what is left of the key's quota, and a reset restores it", async () => {
  const { token, tokenId } = await signInNew();
  const fresh = await readQuota(token);
  expect(fresh.status).toBe(200);
  expect(fresh.headers.get("cache-control")).toContain("no-store");
  expect(fresh.body).toEqual({
    active: true,
    limit: 20_000,
    used: 0,
    reserved: 0,
    remaining: 20_000,
    resetAt: null,
  });
  await useQuota(ownerOf(tokenId), 1_234);
  const used = await readQuota(token);
  expect(used.body).toMatchObject({ used: 1_234, reserved: 0, remaining: 18_766 });
  expect(Date.parse(String(used.body.resetAt))).toBeGreaterThan(clock() + 86_000_000);

  const answer = await reset({ scope: "token", tokenIds: [tokenId] });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ ok: true, scope: "token", mode: "ids", token: { deleted: 1 } });
  expect((await readQuota(token)).body).toEqual(fresh.body);
});

test("the quota requires a token, in its own error shape, from every location a GET has", async () => {
  const { token, tokenId, account } = await signInNew();
  const missing = await gate.ask({ path: "/api/quota" });
  expect([missing.status, missing.body]).toEqual([401, { error: "Unauthorized: missing JWT" }]);
  expect(missing.headers.get("www-authenticate")).toBe('Bearer realm="latchkey"');
  const placements = tokenPlacements.filter(({ location }) => !location.startsWith("body"));
  expect(placements).toHaveLength(4);
  for (const { location, place: site } of placements) {
    const ask = (text: string) => {
      const { headers, query } = combinePlaced([site(text)]);
      return gate.ask({ path: `/api/quota?${new URLSearchParams(query)}`, headers });
    };
    expect((await ask(token)).status, location).toBe(200);
    const invalid = await ask(`${token.slice(0, -6)}AAAAAA`);
    expect([invalid.status, invalid.body], location).toEqual([401, { error: "Unauthorized: invalid JWT" }]);
  }
  const crossSite = await gate.ask({
    path: "/api/quota",
    headers: { cookie: `jwt=${token}`, "sec-fetch-site": "cross-site" },
  });
  expect(crossSite.status).toBe(403);

  const form = await gate.formBody({ account, tokenId, message: "used up" });
  expect((await gate.post("/api/form-submission-gate", form)).status).toBe(200);
  expect((await readQuota(token)).body).toEqual({ error: "Unauthorized: invalid JWT" });
});

test("every location of the secret is accepted, each wrong secret is 401, and brute force learns nothing else", async () => {
  const body = { scope: "token", tokenIds: ["424242"] };
  for (const [json, headers, query] of [
    [body, { "x-quota-reset-secret": secret }, ""],
    [body, { "x-ai-quota-reset-secret": secret }, ""],
    [body, { Authorization: `Bearer ${secret}` }, ""],
    [{ ...body, secret }, {}, ""],
    [body, {}, `?secret=${secret}`],
  ] as const) {
    const answer = await gate.post(`/api/quota-reset${query}`, json, headers);
    expect([answer.status, answer.body.token]).toEqual([200, { deleted: 0 }]);
  }
  const attempts: [unknown, Record<string, string>][] = [
    [{ all: true }, {}],
    [{ all: true, secret: "wrong" }, {}],
    [{ nonsense: true }, { "x-quota-reset-secret": "wrong" }],
    [undefined, { "x-quota-reset-secret": "wrong" }],
    ["x".repeat(20_000), { "x-quota-reset-secret": "wrong" }],
    ["x".repeat(20_000), {}],
  ];
  for (const [json, headers] of attempts) {
    const answer = await reset(json, headers);
    expect([answer.status, answer.body]).toEqual([401, { error: "Unauthorized" }]);
  }
});

test("unusable requests are refused in the route's own shape, after the secret was checked", async () => {
  const headers = { "x-quota-reset-secret": secret };
  const send = async (init: RequestInit) => {
    const response = await fetch(`${gate.origin}/api/quota-reset`, { method: "POST", headers, ...init });
    expect(response.headers.get("content-type")).toContain("application/json");
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const json = { ...headers, "Content-Type": "application/json" };
  const filled = (bytes: number) => {
    const body = JSON.stringify({ all: true, pad: "" });
    return body.replace('"pad":""', `"pad":"${"a".repeat(bytes - body.length)}"`);
  };
  expect(filled(16_384)).toHaveLength(16_384);
  expect((await send({ headers: json, body: filled(16_384) })).status).toBe(200);
  const cases: [RequestInit, number, string][] = [
    [{ headers: json, body: filled(16_385) }, 413, "Body too large"],
    [{ headers: { ...headers, "Content-Type": "text/plain" }, body: "{}" }, 415, "Unsupported media type"],
    [{ headers: json, body: "{" }, 400, "Invalid request"],
    [{ headers: json, body: "[]" }, 400, "Invalid request"],
    [{ headers: json, body: '{"scope":"both"}' }, 400, "Invalid request"],
    [{}, 400, "Invalid request"],
    [{ method: "PUT" }, 405, "Method not allowed"],
    [{ method: "GET" }, 405, "Method not allowed"],
  ];
  for (const [init, status, error] of cases) {
    const answer = await send(init);
    expect([answer.status, answer.body.error], JSON.stringify(init)).toEqual([status, error]);
    expect(answer.body).not.toHaveProperty("type");
  }
});

test("a reset records who, what and when in database and log, and never the secret", async () => {
  const address = "0x00000000000000000000000000000000000000F1";
  await useQuota(ownerOfAddress(address), 5);
  const before = clock();
  const answer = await gate.post(`/api/quota-reset?secret=${secret}`, {
    secret,
    scope: "crypto",
    addresses: [address],
  });
  expect(answer.body).toEqual({ ok: true, scope: "crypto", mode: "addresses", crypto: { deleted: 1 } });
  const requestId = answer.headers.get("x-request-id")!;
  const entry = await database.auditEntry.findFirstOrThrow({ where: { requestId } });
  expect(entry).toMatchObject({ kind: "quota-reset", clientId: expect.stringMatching(/^(127|::)/) });
  expect(Number(entry.atMs)).toBeGreaterThanOrEqual(before);
  expect(JSON.parse(entry.detail)).toEqual({
    scope: "crypto",
    mode: "addresses",
    addresses: [address],
    deleted: { crypto: 1 },
  });
  const findLine = () =>
    gate.server
      .output()
      .split("\n")
      .find((text) => text.includes("quotas reset") && text.includes(requestId));
  // The log comes through a pipe and may lag behind the response.
  await waitUntil(() => findLine() !== undefined);
  expect(findLine()).toContain('"cryptoWindows":1');
  expect(gate.server.output()).not.toContain(secret);
  expect(JSON.stringify(await database.auditEntry.findMany(), (_, value) => String(value))).not.toContain(
    secret,
  );
});

test("readiness and the log show whether the quota is in force, and which condition is missing", async () => {
  const ready = await gate.ask({ path: "/readyz" });
  expect(ready.body).toMatchObject({ status: "ready", quota: { active: true, missing: [] } });
  expect(gate.server.output()).toContain('"chat quota active"');

  const variant = await startVariant({ NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: undefined });
  const missing = ["NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT is not true"];
  expect((await variant.ask({ path: "/readyz" })).body.quota).toEqual({ active: false, missing });
  expect(variant.server.output()).toContain(missing[0]);
  // The quota is off, but a reset still works.
  const answer = await variant.post("/api/quota-reset", { all: true }, { "x-quota-reset-secret": secret });
  expect(answer.status).toBe(200);
});

test.each([
  [{ AI_QUOTA_RESET_SECRET: undefined }, 403, 403, "Quota reset disabled"],
  [{ AI_CHAT_QUOTA_ENABLED: "false" }, 401, 403, "Quota reset disabled"],
  [{ NEXT_PUBLIC_ENABLE_STATE_WORKER: "false" }, 401, 503, "State service inactive"],
])(
  "a reset with %j is answered %i to a stranger, and %i %s to the operator",
  async (env, forStranger, status, error) => {
    const variant = await startVariant(env);
    const stranger = await variant.post(
      "/api/quota-reset",
      { all: true },
      { "x-quota-reset-secret": "wrong" },
    );
    expect(stranger.status).toBe(forStranger);
    for (const json of [{ all: true }, { nonsense: true }]) {
      const answer = await variant.post("/api/quota-reset", json, { "x-quota-reset-secret": secret });
      expect([answer.status, answer.body]).toEqual([status, { error }]);
    }
  },
);

test("guessing is limited to five a minute, before any secret is compared", async () => {
  const variant = await startVariant({ RATE_LIMIT_QUOTA_RESET: undefined });
  const guess = (given: string) =>
    variant.post("/api/quota-reset", { all: true }, { "x-quota-reset-secret": given });
  for (let attempt = 1; attempt <= 5; attempt++) {
    const answer = await guess(`wrong-${attempt}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("x-ratelimit-remaining")).toBe(String(5 - attempt));
  }
  const refused = await guess(secret);
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: "Too many requests", limit: 5, remaining: 0 });
  expect(Number(refused.headers.get("retry-after"))).toBe(refused.body.retryAfter);
});

test("a start settles in full what was left unsettled", async () => {
  const first = await startVariant({});
  const url = first.server.databaseUrl;
  const { dataDir } = first.server;
  const ledger = await openDatabase({ url });
  onTestFinished(() => closeDatabase(ledger));
  const store = createQuotaStore(ledger, clock, "elsewhere/1/ended");
  const owner = ownerOf("77");
  const terms = { owner, wanted: 300, limit: 20_000, windowSeconds: 86_400 };
  await store.reserve({ ...terms, expiresInSeconds: -1 });
  await store.reserve({ ...terms, expiresInSeconds: 600 });
  await startVariant({}, dataDir);
  expect(await store.readStanding({ owner, limit: 20_000 })).toMatchObject({ used: 300, reserved: 300 });
});
