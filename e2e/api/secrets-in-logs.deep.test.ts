import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { startJsonServer } from "~e2e/support/providers/json-server";
import { refusing, saying, startOpenAiServer } from "~e2e/support/providers/openai-server";
import { startCollector } from "~e2e/support/providers/otlp-collector";
import { waitUntil } from "~e2e/support/processes";
import { hasRedis, launchRedis } from "~e2e/support/databases/redis";
import { startRpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import type { RpcFaultServer } from "~e2e/support/chain/rpc-fault-server";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { answeringSpeech, startSpeechServer } from "~e2e/support/providers/speech-server";
import { combinePlaced, tokenPlacements } from "~e2e/support/token-placements";
import { limitsOff } from "~e2e/support/limits";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { openTcpSwitch } from "../support/browser/tcp-switch";
import { asPage, cookieSetBy, forwardedFor, notes, openDoorClient, wiki } from "./door-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";
import { mcpOf } from "./mcp-fixture";
import { createSecretHunt, random, secretSettings, settingOf } from "./secret-hunt";

const { use, useToken, lookFor, give, find, count, listMissing } = createSecretHunt();

const secrets = give({
  JWT_SECRET: random(),
  JWT_PREVIOUS_KEYS: `${random()},${random()}`,
  OPERATOR_SECRET: random(),
  AI_QUOTA_RESET_SECRET: random(),
  METRICS_TOKEN: random(),
  OPENAI_API_KEY: `sk-proj-${random()}`,
  TTS_API_KEY: random(),
  WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
  AI_PRIVATE_KEY: generatePrivateKey(),
});
use("AI_PRIVATE_KEY without its prefix", secrets.AI_PRIVATE_KEY.slice(2));

/** Secrets of a second server, because the first can't have them as well. */
const otherSecrets = give({
  JWT_PRIVATE_KEY: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  }) as string,
  CLOUDFLARE_API_TOKEN: random(),
  ELEVENLABS_API_KEY: random(),
  PINECONE_API_KEY: random(),
  METRICS_TOKEN: random(),
  RPC_URL_10: `https://ten.example.com/${random()}`,
});

let gate: Gate;
let rpc: RpcFaultServer;
let server: RunningServer;
let api: ReturnType<typeof clientOf>;
let database: Awaited<ReturnType<typeof openLockableDatabase>>;
let redis: Awaited<ReturnType<typeof openLockableRedis>> | null;
let collector: Awaited<ReturnType<typeof startCollector>>;
const closers: (() => Promise<unknown>)[] = [];
/** Everything the servers output besides the log. */
const heard: string[] = [];

/** Both providers repeat the given key in their errors, as some real ones do. */
const repeating = (key: string) => `Incorrect API key provided: ${key}. Authorization: Bearer ${key}`;

/** A PostgreSQL user with a secret password, on a connection that can be cut. */
async function openLockableDatabase() {
  const postgresql = await startPostgresql();
  closers.push(postgresql.stop);
  const url = new URL(await postgresql.createDatabase());
  const admin = await openDatabase({ url: url.href });
  closers.push(() => closeDatabase(admin));
  const setPassword = (verb: string, password: string) =>
    admin.$executeRawUnsafe(`${verb} ROLE gatekeeper LOGIN PASSWORD '${password}'`);
  const password = random();
  await setPassword("CREATE", password);
  await admin.$executeRawUnsafe(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO gatekeeper`);
  const [port, tcpSwitch] = [Number(url.port), await openTcpSwitch()];
  closers.push(tcpSwitch.close);
  tcpSwitch.leadTo(port);
  Object.assign(url, { username: "gatekeeper", password, port: String(tcpSwitch.port) });
  return {
    env: give({ DATABASE_URL: url.href }),
    cut: () => tcpSwitch.leadTo(null),
    /** The servers' password stops working. */
    lockOut: async () => {
      await setPassword("ALTER", random());
      tcpSwitch.leadTo(port);
    },
    mend: async () => {
      await setPassword("ALTER", password);
      tcpSwitch.leadTo(port);
    },
  };
}

/** One address with two Redis servers: one has the secret password, the other a different one. */
async function openLockableRedis() {
  const password = random();
  const own = await launchRedis(["--requirepass", password]);
  const foreign = await launchRedis(["--requirepass", random()]);
  closers.push(own.stop, foreign.stop);
  const tcpSwitch = await openTcpSwitch();
  closers.push(tcpSwitch.close);
  const leadTo = ({ url }: { url: string }) => tcpSwitch.leadTo(Number(new URL(url).port));
  leadTo(own);
  return {
    env: give({ STATE_WORKER_URL: `redis://:${password}@127.0.0.1:${tcpSwitch.port}` }),
    otherEnv: give({ STATE_WORKER_URL: own.url, STATE_WORKER_API_KEY: password }),
    cut: () => tcpSwitch.leadTo(null),
    lockOut: () => leadTo(foreign),
    mend: () => leadTo(own),
  };
}

async function startModel() {
  const words = repeating(secrets.OPENAI_API_KEY);
  const model = await startOpenAiServer(
    refusing({ status: 401, message: words }),
    refusing({ status: 500, message: words }),
    saying("An answer."),
  );
  closers.push(model.close);
  return model;
}

async function startVoice(key: string) {
  const headers = { "Content-Type": "text/plain" };
  const speaker = await startSpeechServer(answeringSpeech(401, headers, repeating(key)));
  closers.push(speaker.close);
  return speaker;
}

function chainSettings() {
  return {
    ...give({ RPC_URL: `${rpc.url}/${random()}?key=${random()}` }),
    KEY_CONTRACT_ADDRESS: gate.contract,
    LOG_LEVEL: "trace",
    DATABASE_CONNECT_SECONDS: "1",
  };
}

beforeAll(async () => {
  gate = await openGate();
  closers.push(gate.close);
  rpc = await startRpcFaultServer(gate.chain.rpcUrl);
  closers.push(rpc.stop);
  database = await openLockableDatabase();
  redis = hasRedis ? await openLockableRedis() : null;
  collector = await startCollector();
  closers.push(collector.close);
  const [model, speaker, hook] = [
    await startModel(),
    await startVoice(secrets.TTS_API_KEY),
    await startRefusingHook(),
  ];
  closers.push(hook.close);
  server = await startServer({
    env: {
      ...limitsOff,
      ...secrets,
      ...chainSettings(),
      ...database.env,
      ...redis?.env,
      RATE_LIMIT_SESSION: "0",
      RATE_LIMIT_SESSION_ENTER: "0",
      RATE_LIMIT_QUOTA_RESET: "0",
      RATE_LIMIT_OPERATOR: "0",
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      DOOR_HOSTS: `${wiki}, ${notes}`,
      TRUST_PROXY: "loopback",
      AI_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      TTS_PROVIDER: "local",
      TTS_BASE_URL: speaker.baseUrl,
      ...give({
        WEBHOOK_URL: `${hook.origin}/${random()}?key=${random()}`,
        // Nobody listens there.
        SMTP_URL: `smtp://mailer:${random()}@127.0.0.1:9`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/${random()}`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${random()}`,
      }),
      NOTIFY_EMAIL: "mail@gate.example",
    },
  });
  closers.push(server.stop);
  api = clientOf(server);
}, 60_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** Refuses every notification and echoes it in the response. */
async function startRefusingHook() {
  const hook = createServer((request, response) => {
    response.writeHead(500).end(`${request.url} ${String(request.headers["webhook-signature"])}`);
    use("signature of a notification", String(request.headers["webhook-signature"]).slice("v1,".length));
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(hook.address() as AddressInfo).port}`,
    close: async () => {
      hook.closeAllConnections();
      await new Promise((resolve) => hook.close(resolve));
    },
  };
}

const statuses: number[] = [];
async function told(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  statuses.push(answer.status);
  return answer;
}

const enter = (json: unknown, query = "") => told(api.post(`/api/gate-access${query}`, json));
const forge = (token: string) =>
  useToken("a forged token", `${token.slice(0, -12)}${randomBytes(9).toString("base64url")}`);

function useBody<Body extends { signature: string }>(what: string, body: Body): Body {
  use(`signature of ${what}`, body.signature);
  use(`signature of ${what} without its prefix`, body.signature.slice(2));
  if ("nonce" in body) use(`nonce of ${what}`, String(body.nonce));
  return body;
}

async function signInEveryWay(holder: Awaited<ReturnType<Gate["mintKey"]>>): Promise<string> {
  const body = useBody("a sign-in", await api.siweBody(holder));
  const token = useToken("an access token", String((await enter(body)).body.accessToken));
  await enter(body);
  await enter(
    useBody(
      "a sign-in to another site",
      await api.siweBody({ ...holder, fields: { domain: "other.example" } }),
    ),
  );
  const stranger = await gate.rich();
  await enter(
    useBody("a stranger's sign-in", await api.siweBody({ account: stranger, tokenId: holder.tokenId })),
  );
  const mixed = await api.siweBody(holder);
  await enter(useBody("a sign-in with another nonce", { ...mixed, nonce: use("a nonce made up", random()) }));
  await enter({ ...body, signature: use("a signature that is none", `0x${random()}`) });
  await enter({ ...body, extra: use("a field too many", random()) }, `?nonce=${body.nonce}&jwt=${token}`);
  const legacy = useBody("an older sign-in", await api.legacyBody(holder));
  useToken("a token of an older sign-in", String((await enter(legacy)).body.accessToken));
  await enter(legacy);
  await enter(useBody("a stale sign-in", await api.legacyBody({ ...holder, timestamp: 1_000_000_000_000 })));
  const cut = await fetch(`${api.origin}/api/gate-access`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body).slice(0, -3),
  });
  statuses.push(cut.status);
  return token;
}

/** Sends the token, valid and forged, in every place to every route that takes one. */
async function carryEverywhere(token: string): Promise<void> {
  const question = use("what somebody asked", "a question nobody should read in a log");
  const bodies: Record<string, Record<string, unknown>> = {
    "/api/chat": { messages: [{ role: "user", content: question }] },
    "/api/tts": { text: use("what somebody had read aloud", "words nobody should read in a log") },
    "/api/mcp": { method: "tools/call", params: { name: "get_gated_content", arguments: {} } },
    "/api/gate-access": {},
    "/session": { renew: true },
  };
  for (const carried of [token, forge(token)]) {
    for (const { place } of tokenPlacements) {
      const placed = combinePlaced([place(carried)]);
      const query = new URLSearchParams(placed.query).toString();
      for (const [path, body] of Object.entries(bodies)) {
        const json = { ...body, ...placed.body };
        await told(api.post(`${path}?${query}`, json, placed.headers));
      }
      for (const path of ["/api/quota", "/gate", "/chat", "/no-such-page"])
        await told(api.ask({ path: `${path}?${query}`, headers: placed.headers }));
    }
  }
}

async function keepSession(token: string): Promise<void> {
  const start = await told(
    api.ask({ path: "/session", method: "POST", headers: { Authorization: `Bearer ${token}` } }),
  );
  expect(start.headers.getSetCookie().join()).toContain(token);
  const cookie = `access_token=${token}`;
  const renewed = await told(api.post("/session", { renew: true }, { cookie }));
  const [written] = renewed.headers.getSetCookie();
  useToken("a renewed token", written!.slice("access_token=".length).split(";")[0]!);
  const room = await told(api.post("/session", { open: true }, { cookie }));
  const links = JSON.stringify(room.body).match(/\/[^"\\\s]*[?&]sig=[\w-]+[^"\\\s]*/g) ?? [];
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) {
    const signature = use("signature of a media link", /sig=([\w-]+)/.exec(link)![1]!);
    await told(api.ask({ path: link.replaceAll("&amp;", "&") }));
    await told(api.ask({ path: link.replace(signature, use("a forged media link", random())) }));
  }
  await told(api.ask({ path: "/session", method: "DELETE", headers: { cookie } }));
}

/** Goes to a site behind the door by session and by page. Each secret is also sent where it's wrong. */
async function goToSite(holder: Awaited<ReturnType<Gate["mintKey"]>>): Promise<void> {
  const door = openDoorClient(api);
  const { body } = await enter(useBody("the sign-in of who goes to a site", await api.siweBody(holder)));
  const token = useToken("the token of who goes to a site", String(body.accessToken));
  const session = { ...asPage, Cookie: `access_token=${token}` };
  const valueOf = (cookie: string) => cookie.slice(cookie.indexOf("=") + 1);
  const path = `/reset?password=${use("what a visitor of a site asked for", random())}`;
  const begun = await door.start(path);
  use("a start's value", valueOf(begun.cookie));
  use("a start's digest", begun.order.start);
  const led = await told(door.goOn(token, begun.order));
  const { pathname, search, searchParams } = new URL(String(led.body.goTo));
  use("a code", searchParams.get("code")!);
  const enterPath = `${pathname}${search}`;
  await told(door.goOn(forge(token), begun.order));
  const page = await told(door.send(`/gate?${new URLSearchParams(begun.order).toString()}`, session));
  use("the page's code", new URL(page.headers.get("location")!).searchParams.get("code")!);
  const other = await door.start("/");
  use("another start's value", valueOf(other.cookie));
  await told(door.visit(enterPath, { cookie: other.cookie }));
  const entered = await told(door.visit(enterPath, { cookie: begun.cookie }));
  await told(door.visit(enterPath, { cookie: begun.cookie }));
  const cookie = cookieSetBy(entered);
  const value = useToken("a door's token", valueOf(cookie));
  for (const host of [wiki, notes, "elsewhere.example"]) await told(door.question({ host, cookie, path }));
  for (const name of ["__Host-latchkey-door", "access_token"]) {
    const Cookie = `${name}=${forge(value)}`;
    await told(door.send("/api/door", { ...forwardedFor(wiki, { path }), ...asPage, Cookie }));
  }
  const bearer = { Authorization: `Bearer ${value}` };
  await told(api.ask({ path: `/api/quota?jwt=${value}`, headers: bearer }));
  rpc.setFault("http-500");
  await told(door.question({ cookie, path }));
  rpc.setFault("none");
  await told(door.visit("/.latchkey/leave", { cookie }));
  await told(api.ask({ path: "/session", method: "DELETE", headers: session }));
  await told(door.question({ cookie, path }));
  await told(door.goOn(token, other.order));
}

async function resetQuotas(): Promise<void> {
  for (const secret of [secrets.AI_QUOTA_RESET_SECRET, use("a wrong quota secret", random())]) {
    const json = { scope: "token", tokenIds: ["424242"] };
    await told(api.post("/api/quota-reset", json, { "x-quota-reset-secret": secret }));
    await told(api.post("/api/quota-reset", json, { Authorization: `Bearer ${secret}` }));
    await told(api.post("/api/quota-reset", { ...json, secret }));
    await told(api.post(`/api/quota-reset?secret=${secret}`, json));
    await told(api.post(`/api/quota-reset?secret=${secret}`, { ...json, scope: secret }));
  }
  for (const token of [secrets.METRICS_TOKEN, use("a wrong metrics token", random())])
    await told(api.ask({ path: "/metrics", headers: { Authorization: `Bearer ${token}` } }));
}

async function operate(): Promise<void> {
  const headers = { Origin: api.origin };
  for (const secret of [use("a wrong operator secret", random()), secrets.OPERATOR_SECRET]) {
    const answer = await fetch(`${api.origin}/operator/sign-in?secret=${secret}`, {
      method: "POST",
      redirect: "manual",
      headers,
      body: new URLSearchParams({ secret, next: `/operator/keys?secret=${secret}` }),
    });
    statuses.push(answer.status);
    const cookie = answer.headers.get("set-cookie")?.split(";")[0];
    if (secret !== secrets.OPERATOR_SECRET) continue;
    use("an operator's cookie", cookie!.split("=")[1]!);
    for (const path of ["decisions", "limits", "audit", "export/decisions?format=json"]) {
      const page = await told(api.ask({ path: `/operator/${path}`, headers: { cookie: cookie! } }));
      heard.push(JSON.stringify(page.body));
    }
    for (const name of ["state", "decisions", "outbox", "audit", "submissions", "nothing"])
      await told(api.ask({ path: `/operator/${name}?secret=${secret}`, headers: { cookie: cookie! } }));
    const foreign = { cookie: cookie!, Origin: "https://other.example" };
    await told(api.ask({ path: "/operator/sign-in?out", method: "POST", headers: foreign }));
    await told(
      api.ask({ path: "/operator/sign-in?out", method: "POST", headers: { cookie: cookie!, ...headers } }),
    );
  }
}

/** Collects a server's public information. */
async function listen(at: Pick<typeof api, "ask">, metricsToken: string): Promise<void> {
  for (const path of ["/readyz", "/healthz", "/api/settings"])
    heard.push(JSON.stringify((await told(at.ask({ path }))).body));
  const headers = { Authorization: `Bearer ${metricsToken}` };
  const metrics = await told(at.ask({ path: "/metrics", headers }));
  expect(metrics.status).toBe(200);
  heard.push(String(metrics.body.text));
}

const logged = (from: number) => server.output().slice(from);

/** Cuts off the database and Redis in the middle of requests, changes their passwords, and restores them. */
async function loseEverything(holder: Awaited<ReturnType<Gate["mintKey"]>>, token: string): Promise<void> {
  const door = openDoorClient(api);
  const site = await door.beginWayIn(token);
  const cookie = cookieSetBy(await door.visit(site.enterPath, { cookie: site.startCookie }));
  useToken("the token of a site", cookie.slice(cookie.indexOf("=") + 1));
  const { order } = await door.start("/");
  const bearer = { Authorization: `Bearer ${token}` };
  const question = { messages: [{ role: "user", content: "a question" }] };
  async function askAll(what: string): Promise<void> {
    const spare = useBody(`a sign-in while ${what}`, await api.siweBody({ ...holder, nonce: random() }));
    const form = useBody(`a form while ${what}`, await api.formBody({ ...holder, message: "words" }));
    await Promise.all([
      told(api.ask({ path: "/api/nonce" })),
      enter(spare),
      told(api.post("/api/gate-access", undefined, bearer)),
      told(api.post("/api/chat", question, bearer)),
      told(api.ask({ path: "/api/quota", headers: bearer })),
      told(api.post("/api/form-submission-gate", form)),
      told(door.question({ cookie })),
      told(door.goOn(token, order)).then(({ body: { goTo } }) => {
        if (goTo !== undefined) use("a code", new URL(String(goTo)).searchParams.get("code")!);
      }),
    ]);
    await listen(api, secrets.METRICS_TOKEN);
  }
  const isReady = async () => (await api.ask({ path: "/readyz" })).status === 200;
  const stores = [
    ...(redis ? [{ name: "Redis", store: redis, refusal: "WRONGPASS" }] : []),
    { name: "PostgreSQL", store: database, refusal: "password authentication failed" },
  ];
  for (const { name, store, refusal } of stores) {
    const from = server.output().length;
    // Directly to the one that refuses the password, because only the first failure after a success is logged.
    await store.lockOut();
    await waitUntil(async () => (await askAll(`${name} refuses`), logged(from).includes(refusal)));
    await store.mend();
    await waitUntil(isReady);
    const asking = askAll(`${name} is cut off`);
    store.cut();
    await asking;
    await waitUntil(async () => !(await isReady()));
    await askAll(`${name} is away`);
    await store.mend();
    await waitUntil(isReady);
  }
}

test("the log of a full run at debug level holds no secret, token, nonce, signature, cookie or text it used", async () => {
  const holder = await gate.mintKey();
  const token = await signInEveryWay(holder);
  await keepSession(token);
  await carryEverywhere(token);
  await resetQuotas();
  await goToSite(await gate.mintKey());
  await operate();
  const bearer = { Authorization: `Bearer ${token}` };
  const pay = { amount: "0.0001", idempotencyKey: "payment-1" };
  // The wallet has no money, so its transaction fails.
  await mcpOf(api).callTool({ name: "send_crypto_to_signed_in_user", args: pay, headers: bearer });
  const message = use("what somebody wrote", "a message nobody should read in a log");
  const form = useBody("a form", await api.formBody({ ...holder, message }));
  expect((await told(api.post("/api/form-submission-gate", form))).status).toBe(200);
  await told(api.post("/api/form-submission-gate", form));
  await waitUntil(() => server.output().split(/"channel":"webhook".*"delivery failed/).length > 2);
  const other = await gate.mintKey();
  const otherToken = String(
    (await enter(useBody("another sign-in", await api.siweBody(other)))).body.accessToken,
  );
  const otherBearer = { Authorization: `Bearer ${useToken("another token", otherToken)}` };
  for (const fault of ["http-500", "html", "reset", "rpc-error", "wrong-type"] as const) {
    rpc.setFault(fault);
    await enter(useBody(`a sign-in while the chain plays ${fault}`, await api.siweBody(other)));
    await told(api.ask({ path: "/api/gate-access", method: "POST", headers: otherBearer }));
  }

  rpc.setFault("none");
  await loseEverything(other, otherToken);
  collector.behave("refuse");
  await told(api.ask({ path: "/api/nonce" }));
  await waitUntil(() => server.output().includes("trace collector unavailable"));
  collector.behave("take");

  // The log comes through a pipe. The last request is in it once the process has ended.
  const last = await told(api.ask({ path: "/api/nonce" }));
  use("a nonce nobody used", String(last.body.nonce));
  await server.stop();
  const log = server.output();
  expect(log).toContain(last.headers.get("x-request-id"));
  for (const status of [200, 303, 400, 401, 403, 404, 500, 503]) {
    expect(statuses, "one of each kind of answer").toContain(status);
    expect(log).toContain(`"status":${status}`);
  }
  const traces = collector.requests.map(({ text }) => text).join("\n");
  expect(traces).toContain("POST /api/gate-access");
  expect(count()).toBeGreaterThan(80);
  expect(find(log)).toEqual([]);
  expect(find(traces)).toEqual([]);
  expect(find(heard.join("\n"))).toEqual([]);
}, 180_000);

test("the log of a server with other providers, keys and addresses holds none of them", async () => {
  const collected = await startCollector();
  closers.push(collected.close);
  const speaker = await startVoice(otherSecrets.ELEVENLABS_API_KEY);
  const words = [otherSecrets.CLOUDFLARE_API_TOKEN, otherSecrets.PINECONE_API_KEY].map(repeating).join();
  const { origin } = await startJsonServer(({ path, answer }) => {
    if (path.endsWith("/embeddings")) answer({ data: [{ index: 0, embedding: [0, 3, 4] }] });
    else answer({ error: { message: words } }, 401);
  });
  const other = await startServer({
    env: {
      ...limitsOff,
      ...otherSecrets,
      ...chainSettings(),
      ...database.env,
      ...redis?.otherEnv,
      JWT_SECRET: undefined,
      JWT_ALG: "ES256",
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false",
      AI_PROVIDER: "workers-ai",
      WORKERS_AI_BASE_URL: `${origin}/v1`,
      CLOUDFLARE_ACCOUNT_ID: "account",
      TTS_PROVIDER: "elevenlabs",
      ELEVENLABS_BASE_URL: speaker.baseUrl,
      ELEVENLABS_VOICE_ID: "voice",
      PINECONE_HOST: origin,
      PINECONE_INDEXES: "docs",
      EMBEDDING_MODEL: "a-model",
      ...give({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collected.endpoint}/${random()}` }),
    },
  });
  closers.push(other.stop);
  const at = clientOf(other);
  const signedIn = await at.signIn(await gate.mintKey());
  expect(signedIn.status).toBe(200);
  useToken("a token of the other server", String(signedIn.body.accessToken));
  const question = { messages: [{ role: "user", content: "a question" }] };
  const failed = [await at.post("/api/chat", question), await at.post("/api/tts", { text: "words" })];
  expect(failed.map(({ status }) => status)).toEqual([500, 500]);
  await mcpOf(other).callTool({ name: "pinecone_search", args: { query: "lamp" } });
  await listen(at, otherSecrets.METRICS_TOKEN);
  await collected.waitForTrace({ has: ({ name }) => name === "tool pinecone_search" });
  await other.stop();
  const said = [other.output(), ...heard, ...collected.requests.map(({ text }) => text)].join("\n");
  expect(said).toContain("search pinecone");
  expect(find(said)).toEqual([]);
}, 120_000);

test("a refused start names what is wrong without any value", async () => {
  const refused = [
    // All secrets at once, each malformed.
    lookFor({
      JWT_SECRET: `demo-${random()}`,
      JWT_PREVIOUS_KEYS: "demo-0123456789",
      OPERATOR_SECRET: "short-one",
      JWT_PRIVATE_KEY: `-----BEGIN PRIVATE KEY-----\n${random()}\n-----END PRIVATE KEY-----`,
      METRICS_TOKEN: "short-two",
      AI_QUOTA_RESET_SECRET: "short-three",
      AI_PRIVATE_KEY: random(),
      RPC_URL: `ftp://${random()}`,
      RPC_URL_10: `ftp://${random()}`,
      DATABASE_URL: `mysql://keeper:${random()}@db.example/gate`,
      STATE_WORKER_URL: `memcached://:${random()}@cache.example`,
      STATE_WORKER_API_KEY: random(),
      WEBHOOK_URL: `ftp://hooks.example/${random()}`,
      WEBHOOK_SECRET: "short-four",
      SMTP_URL: `mailto:${random()}`,
      PINECONE_API_KEY: random(),
      OTEL_EXPORTER_OTLP_ENDPOINT: `grpc://${random()}`,
      OTEL_EXPORTER_OTLP_HEADERS: random(),
      OPENAI_API_KEY: random(),
      CLOUDFLARE_API_TOKEN: random(),
      AI_PROVIDER: "workers-ai",
      TTS_API_KEY: random(),
      ELEVENLABS_API_KEY: random(),
      TTS_PROVIDER: "elevenlabs",
    }),
    // Secrets that aren't settings: a wrong password, and addresses the driver can't parse.
    lookFor({ DATABASE_URL: database.env.DATABASE_URL.replace(/:[^:@]*@/, `:${random()}@`) }),
    lookFor({ DATABASE_URL: `postgresql://keeper:${random()}%zz@127.0.0.1:9/gate` }),
    lookFor({ DATABASE_URL: `postgresql://keeper:${random()}@127.0.0.1:notaport/gate` }),
  ];
  const named = Object.keys(refused[0]!).map(settingOf);
  expect(secretSettings.filter((name) => !named.includes(name))).toEqual([]);
  for (const env of refused) {
    const started = startServer({ env: { ...secrets, ...chainSettings(), ...env } });
    const said = await started.then(
      async (running) => (await running.stop(), running.output()),
      (error: Error) => error.message,
    );
    expect(said).toMatch(/The server ended with (?:78|1)\./);
    expect(find(said), said).toEqual([]);
  }
}, 120_000);

test("every secret setting was given a value in these runs, and searched for", () => {
  expect(secretSettings.length).toBeGreaterThan(20);
  const needRedis = hasRedis ? [] : ["STATE_WORKER_URL", "STATE_WORKER_API_KEY"];
  expect(listMissing().filter((name) => !needRedis.includes(name))).toEqual([]);
});
