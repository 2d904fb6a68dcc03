import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fallingSilentAfter, saying, talkingForever } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { limitsOff } from "~e2e/support/limits";
import { chat, localProvider, openChat, openLedger, quotaOn, readUntil } from "./chat-fixture";
import { signInNew, startChatServer, startProvider, textOf } from "./chat-fixture";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate({ env: { ...limitsOff, ...quotaOn, AI_OFFLINE_WORD_MS: "0" } });
});
afterAll(() => gate.close());

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-chat-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

type Asking = { ask: Gate["ask"]; bearer: Record<string, string> };
const readQuota = async ({ ask, bearer }: Asking) =>
  (await ask({ path: "/api/quota", headers: bearer })).body;

test("headers, GET /api/quota and the refusal agree until the window expires", async () => {
  const { baseUrl } = await startProvider(saying("x".repeat(100)));
  const { server, ask, signIn } = await startChatServer({
    gate,
    env: {
      ...quotaOn,
      ...localProvider({ baseUrl }),
      AI_CHAT_MAX_OUTPUT_TOKENS: "30",
      AI_CHAT_QUOTA_TOKENS: "60",
      AI_CHAT_QUOTA_WINDOW_SEC: "10",
    },
  });
  const { bearer } = await signInNew(gate, { signIn });
  const fresh = { active: true, limit: 60, used: 0, reserved: 0, remaining: 60, resetAt: null };
  expect(await readQuota({ ask, bearer })).toEqual(fresh);

  const first = await chat({ port: server.port, headers: bearer });
  const resetAt = String(first.headers["x-quota-reset"]);
  expect(first.headers).toMatchObject({ "x-quota-limit": "60", "x-quota-remaining": "30" });
  expect(await readQuota({ ask, bearer })).toEqual({ ...fresh, used: 25, remaining: 35, resetAt });

  const second = await chat({ port: server.port, headers: bearer });
  expect(second.headers).toMatchObject({ "x-quota-remaining": "5", "x-quota-reset": resetAt });
  const third = await chat({ port: server.port, headers: bearer });
  expect(third.headers["x-quota-remaining"]).toBe("0");
  expect(textOf(third.events)).toHaveLength(40);
  expect(third.events.at(-1)).toEqual({ type: "finish", messageMetadata: { finishReason: "length" } });
  expect(await readQuota({ ask, bearer })).toEqual({ ...fresh, used: 60, remaining: 0, resetAt });

  const refused = await chat({ port: server.port, headers: bearer });
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    429,
    { error: "Quota exceeded", remaining: 0, resetAt },
  ]);
  expect(Date.now()).toBeLessThan(Date.parse(resetAt));
  const other = await signInNew(gate, { signIn });
  expect((await chat({ port: server.port, headers: other.bearer })).status).toBe(200);

  await waitUntil(() => Date.now() >= Date.parse(resetAt));
  expect(await readQuota({ ask, bearer })).toEqual(fresh);
  const next = await chat({ port: server.port, headers: bearer });
  expect([next.status, next.headers["x-quota-remaining"]]).toEqual([200, "30"]);
});

test("a quota reserved by answers in progress is reported as that, with the end of the first of them", async () => {
  const { baseUrl } = await startProvider(fallingSilentAfter("Well,"), saying("Here you are."));
  const { server, signIn } = await startChatServer({
    gate,
    env: {
      ...quotaOn,
      ...localProvider({ baseUrl }),
      AI_CHAT_MAX_OUTPUT_TOKENS: "60",
      AI_CHAT_QUOTA_TOKENS: "60",
      AI_CHAT_MAX_DURATION: "20",
    },
  });
  const { bearer } = await signInNew(gate, { signIn });
  const question = { port: server.port, headers: bearer };
  const askedAtMs = Date.now();
  const { incoming, outgoing } = await openChat(question);
  await readUntil(incoming, "Well,");
  const refused = await chat(question);
  const body = JSON.parse(refused.text) as { resetAt: string };
  expect([refused.status, body]).toEqual([
    429,
    {
      error: "Quota exceeded",
      remaining: 0,
      resetAt: expect.any(String) as string,
      details: expect.stringMatching(
        /^60 of this key's 60 tokens are set aside for answers under way\./,
      ) as string,
    },
  ]);
  const endsAtMs = Date.parse(body.resetAt);
  expect(endsAtMs).toBeGreaterThanOrEqual(askedAtMs + 20_000);
  expect(endsAtMs).toBeLessThanOrEqual(Date.now() + 20_000);
  const waitSeconds = Number(refused.headers["retry-after"]);
  expect(waitSeconds).toBeGreaterThan(0);
  expect(waitSeconds).toBeLessThanOrEqual(20);
  outgoing.destroy();
  await waitUntil(async () => (await chat(question)).status === 200);
});

/** Asks many times at once. Counts admissions and the words of all replies. */
async function askAtOnce(ports: number[], bearer: Record<string, string>, times: number) {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) =>
      chat({ port: ports[index % ports.length]!, headers: bearer }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  return {
    admitted: statuses.filter((status) => status === 200).length,
    exhausted: statuses.filter((status) => status === 429).length,
    saidTokens: answers.reduce((sum, { events }) => sum + Math.ceil(textOf(events).length / 4), 0),
  };
}

test.each([1, 2])(
  "100 requests at the quota's edge never exceed it, with %i servers on one database",
  { timeout: 90_000 },
  async (count) => {
    // The model ignores every limit, so only our own can hold.
    const { baseUrl } = await startProvider(talkingForever("x".repeat(40)));
    const env = {
      ...quotaOn,
      ...localProvider({ baseUrl }),
      AI_CHAT_MAX_OUTPUT_TOKENS: "50",
      AI_CHAT_QUOTA_TOKENS: "1020",
      JWT_ISS: "https://gate.example",
      JWT_AUD: "gate.example",
    };
    const dataDir = await makeDataDir();
    const first = await startChatServer({ gate, env, dataDir });
    const second = count === 2 ? await startChatServer({ gate, env, dataDir }) : first;
    const { bearer, tokenId } = await signInNew(gate, first);
    const ports = [first.server.port, second.server.port];
    const ledger = await openLedger(gate, first.server);
    // 20 tokens short of the limit by one reply: the last one gets the remainder.
    await ledger.use({ tokenId, usedTokens: 700 });
    expect(await askAtOnce(ports, bearer, 100)).toEqual({
      admitted: 7,
      exhausted: 93,
      saidTokens: 320,
    });
    expect(await ledger.readStanding(tokenId, 1020)).toMatchObject({ used: 1020, reserved: 0, remaining: 0 });
    expect(await askAtOnce(ports, bearer, 4)).toEqual({
      admitted: 0,
      exhausted: 4,
      saidTokens: 0,
    });
  },
);

test("a reservation left by a server killed in mid-stream is counted in full once the server's heartbeat has timed out", async () => {
  const { baseUrl } = await startProvider(fallingSilentAfter("Once upon a time"));
  const env = {
    ...quotaOn,
    ...localProvider({ baseUrl }),
    AI_CHAT_MAX_OUTPUT_TOKENS: "300",
    LEASE_SECONDS: "3",
  };
  const dataDir = await makeDataDir();
  const first = await startChatServer({ gate, env, dataDir });
  const { bearer, tokenId } = await signInNew(gate, first);
  const ledger = await openLedger(gate, first.server);
  const { incoming } = await openChat({ port: first.server.port, headers: bearer });
  await readUntil(incoming, "Once upon a time");
  await first.server.kill();
  expect(await ledger.readStanding(tokenId)).toMatchObject({ used: 0, reserved: 300 });
  const next = await startChatServer({ gate, env, dataDir });
  await waitUntil(async () => (await ledger.readStanding(tokenId)).used === 300);
  expect(await ledger.readStanding(tokenId)).toMatchObject({ used: 300, reserved: 0, remaining: 19_700 });
  await waitUntil(() => next.server.output().includes("orphaned reservations settled"));
});

test("a key that was used up or given away may not chat", async () => {
  const { port } = gate.server;
  const used = await signInNew(gate);
  expect((await chat({ port, headers: used.bearer })).status).toBe(200);
  const form = await gate.formBody({ account: used.account, tokenId: used.tokenId, message: "Goodbye." });
  expect((await gate.post("/api/form-submission-gate", form)).status).toBe(200);
  const refusal = { error: "Unauthorized: invalid JWT" };
  const afterUse = await chat({ port, headers: used.bearer });
  expect([afterUse.status, JSON.parse(afterUse.text)]).toEqual([401, refusal]);

  const given = await signInNew(gate);
  expect((await chat({ port, headers: given.bearer })).status).toBe(200);
  const stranger = await gate.rich();
  await gate.transferKey({ from: given.account, to: stranger.address, tokenId: given.tokenId });
  await waitUntil(async () => (await chat({ port, headers: given.bearer })).status === 401);
  expect(JSON.parse((await chat({ port, headers: given.bearer })).text)).toEqual(refusal);
});

test("pages of allowed origins may read the quota's headers, also of a refusal", async () => {
  const site = "https://pages.example";
  const { server, signIn } = await startChatServer({
    gate,
    env: { ...quotaOn, AI_OFFLINE_WORD_MS: "0", AI_CHAT_QUOTA_TOKENS: "1", CORS_ORIGINS: site },
  });
  const { bearer } = await signInNew(gate, { signIn });
  for (const status of [200, 429]) {
    const answer = await chat({ port: server.port, headers: { ...bearer, Origin: site } });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([status, site]);
    const exposed = String(answer.headers["access-control-expose-headers"]).toLowerCase().split(", ");
    const named = Object.keys(answer.headers).filter((name) =>
      /^(x-quota|x-ratelimit|retry-after)/.test(name),
    );
    expect(named).toEqual(expect.arrayContaining(["x-quota-limit", "x-quota-remaining", "x-quota-reset"]));
    expect(exposed).toEqual(expect.arrayContaining(named));
  }
  const stranger = { ...bearer, Origin: "https://elsewhere.example" };
  const { headers } = await chat({ port: server.port, headers: stranger });
  expect(headers).not.toHaveProperty("access-control-expose-headers");
});

test("a cookie is accepted from the site itself and from programs, not from another site", async () => {
  const { port } = gate.server;
  const { token } = await signInNew(gate);
  const ask = async (headers: Record<string, string>) => {
    const { status, text } = await chat({ port, headers: { cookie: `access_token=${token}`, ...headers } });
    return status === 200 ? 200 : [status, JSON.parse(text)];
  };
  const refused = [403, { error: "Cross-site request refused" }];
  expect(await ask({})).toBe(200);
  expect(await ask({ "sec-fetch-site": "same-origin", origin: gate.origin })).toBe(200);
  expect(await ask({ "sec-fetch-site": "cross-site" })).toEqual(refused);
  expect(await ask({ "sec-fetch-site": "same-site" })).toEqual(refused);
  expect(await ask({ origin: "https://elsewhere.example" })).toEqual(refused);
  expect(await ask({ origin: "null" })).toEqual(refused);
  // A request with a bearer token needs no cookie, so its origin doesn't matter.
  expect(await ask({ Authorization: `Bearer ${token}`, "sec-fetch-site": "cross-site" })).toBe(200);
});

test("callers without a token are served where none is required, and so are those with an invalid one", async () => {
  const { server, ask, signIn } = await startChatServer({ gate, env: { AI_OFFLINE_WORD_MS: "0" } });
  const { bearer, token } = await signInNew(gate, { signIn });
  const stranger = await chat({ port: server.port });
  expect(stranger.status).toBe(200);
  expect(stranger.headers).not.toHaveProperty("x-quota-limit");
  expect((await chat({ port: server.port, headers: bearer })).status).toBe(200);
  const wrong = { Authorization: `Bearer ${token.slice(0, -6)}AAAAAA` };
  expect((await chat({ port: server.port, headers: wrong })).status).toBe(200);
  expect(await readQuota({ ask, bearer })).toMatchObject({ active: false, used: 0, remaining: 20_000 });
});
