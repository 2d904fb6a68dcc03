import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { hasRedis, launchRedis, startRedis } from "~e2e/support/databases/redis";
import { startServer } from "~e2e/support/running-server";
import { pausingAfter, sounding } from "~e2e/support/providers/speech-server";
import { limitsOff } from "~e2e/support/limits";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { hello, quotaOn, signInNew } from "../api/chat-fixture";
import { localSpeaker, openSpeech, readAudio, speak, startSpeaker } from "../api/tts-fixture";

describe.skipIf(!hasRedis)("state in Redis", () => {
  const secret = "operator-secret-of-the-tests";
  let shared: Awaited<ReturnType<typeof launchRedis>>;
  let gate: Gate;
  beforeAll(async () => {
    shared = await launchRedis();
    gate = await openGate({ env: stateIn(shared) });
  });
  afterAll(async () => {
    await gate.close();
    await shared.stop();
  });

  function stateIn({ url, password }: { url: string; password: string }) {
    return {
      ...limitsOff,
      ...quotaOn,
      AI_QUOTA_RESET_SECRET: secret,
      STATE_WORKER_URL: url,
      STATE_WORKER_API_KEY: password,
    };
  }

  /** Another instance on the same chain, with its own database. */
  async function startInstance(env: Record<string, string | undefined>) {
    const server = await startServer({
      env: {
        RPC_URL: gate.chain.rpcUrl,
        KEY_CONTRACT_ADDRESS: gate.contract,
        CHAIN_POLL_SECONDS: "1",
        ...env,
      },
    });
    onTestFinished(async () => void (await server.stop()));
    return { server, ...clientOf(server) };
  }

  const chatWith = (token: unknown) => ({
    path: "/api/chat",
    method: "POST",
    json: hello,
    headers: { Authorization: `Bearer ${String(token)}` },
  });

  test("a nonce of one instance is accepted by another, once, though they share only Redis", async () => {
    const other = await startInstance({
      ...stateIn(shared),
      PUBLIC_ORIGIN: gate.server.origin,
      NEXT_PUBLIC_DOMAIN: gate.domain,
    });
    const holder = await gate.mintKey();
    const body = await gate.siweBody(holder);
    const answers = await Promise.all(
      [gate, other, gate, other].map((instance) => instance.post("/api/gate-access", body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test("limits count across instances", async () => {
    const limit = { RATE_LIMIT_TOKEN_STATUS: "6/600" };
    const instances = await Promise.all([1, 2].map(() => startInstance({ ...stateIn(shared), ...limit })));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => instances[index % 2]!.ask({ path: "/api/token-status/1" })),
    );
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(6);
  });

  test("an answer counts where the quota is shown, and a reset brings it back", async () => {
    const holder = await gate.mintKey();
    const { accessToken } = (await gate.signIn(holder)).body;
    const headers = { Authorization: `Bearer ${String(accessToken)}` };
    expect((await gate.ask(chatWith(accessToken))).status).toBe(200);
    await expect.poll(async () => (await gate.ask({ path: "/api/quota", headers })).body.reserved).toBe(0);
    const { body } = await gate.ask({ path: "/api/quota", headers });
    expect(body.used).toBeGreaterThan(0);
    const reset = await gate.post(
      "/api/quota-reset",
      { tokenIds: [holder.tokenId] },
      { "x-quota-reset-secret": secret },
    );
    expect(reset.body).toMatchObject({ ok: true, token: { deleted: 1 } });
    expect((await gate.ask({ path: "/api/quota", headers })).body.used).toBe(0);
  });

  test("a Redis outage leaves limits to the process and refuses nonces and quotas until it is back", async () => {
    const redis = await startRedis();
    const instance = await startInstance({ ...stateIn(redis), RATE_LIMIT_TOKEN_STATUS: "5/600" });
    const holder = await gate.mintKey();
    const { accessToken } = (await instance.signIn(holder)).body;
    const spare = await instance.siweBody(holder);
    const used = await instance.siweBody(holder);
    expect((await instance.post("/api/gate-access", used)).status).toBe(200);

    await redis.kill();
    expect((await instance.ask({ path: "/api/nonce" })).status).toBe(500);
    const refused = await instance.post("/api/gate-access", spare);
    expect([refused.status, refused.body.title]).toEqual([503, "State unavailable"]);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await instance.ask(chatWith(accessToken))).status).toBe(503);
    const headers = { Authorization: `Bearer ${String(accessToken)}` };
    expect((await instance.ask({ path: "/api/quota", headers })).status).toBe(503);
    const reset = { tokenIds: [holder.tokenId] };
    const asOperator = { "x-quota-reset-secret": secret };
    expect((await instance.post("/api/quota-reset", reset, asOperator)).status).toBe(503);
    // A token needs no nonce, so visitors stay signed in.
    expect((await instance.post("/api/gate-access", undefined, headers)).status).toBe(200);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () => instance.ask({ path: "/api/token-status/1" })),
    );
    expect(statuses.filter(({ status }) => status !== 429)).toHaveLength(5);
    const unready = await instance.ask({ path: "/readyz" });
    expect(unready.status).toBe(503);
    expect(unready.body.dependencies).toMatchObject({ redis: { state: "down" }, database: { state: "up" } });

    await redis.start();
    await waitUntil(async () => (await instance.ask({ path: "/readyz" })).status === 200);
    expect((await instance.post("/api/gate-access", used)).status).toBe(401);
    expect((await instance.post("/api/gate-access", spare)).status).toBe(200);
    expect((await instance.ask(chatWith(accessToken))).status).toBe(200);
    expect(instance.server.output()).not.toContain(redis.password);
  });

  test("a Redis outage refuses speech where its budget is in force, cached audio too, and nowhere else", async () => {
    const redis = await startRedis();
    let goOn: () => void = () => undefined;
    const proceed = new Promise<void>((resolve) => (goOn = resolve));
    const [chunk, rest] = [Buffer.alloc(2_000, 1), Buffer.alloc(2_000, 2)];
    const paused = pausingAfter(chunk, rest, proceed);
    const speaker = await startSpeaker((call) =>
      (call.body.input === "Begun before." ? paused : sounding(chunk))(call),
    );
    const env = { ...stateIn(redis), ...localSpeaker(speaker) };
    const counted = await startInstance(env);
    const uncounted = await startInstance({ ...env, TTS_QUOTA_CHARACTERS: "0" });
    const { port } = counted.server;
    const { bearer: headers } = await signInNew(gate, counted);
    const { bearer } = await signInNew(gate, uncounted);
    const kept = { port, headers, json: { text: "Kept." } };
    const countLeft = async () => (await speak(kept)).headers["x-quota-remaining"];
    expect((await speak(kept)).status).toBe(200);
    // Cached speech costs nothing.
    await waitUntil(async () => (await countLeft()) === (await countLeft()));
    const begun = await openSpeech({ port, headers, json: { text: "Begun before." } });
    expect(begun.status).toBe(200);

    await redis.kill();
    for (const json of [kept.json, { text: "New." }]) {
      const refused = await speak({ port, headers, json });
      expect([refused.status, refused.body]).toEqual([503, { error: "State unavailable" }]);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    }
    goOn();
    const { bytes, isWhole } = await readAudio(begun.incoming);
    expect([bytes.length, isWhole]).toEqual([4_000, true]);
    const elsewhere = { port: uncounted.server.port, headers: bearer, json: { text: "New." } };
    expect((await speak(elsewhere)).status).toBe(200);

    await redis.start();
    await waitUntil(async () => (await counted.ask({ path: "/readyz" })).status === 200);
    expect((await speak(kept)).status).toBe(200);
  });
});
