import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusing, saying, startOpenAiServer } from "~/testing/openai-server";
import { waitUntil } from "~/testing/processes";
import { startRpcFaultServer } from "~/testing/rpc-fault-server";
import type { RpcFaultServer } from "~/testing/rpc-fault-server";
import { startServer } from "~/testing/running-server";
import type { RunningServer } from "~/testing/running-server";
import { answeringSpeech, startSpeechServer } from "~/testing/speech-server";
import { combinePlaced, tokenPlacements } from "~/testing/token-placements";
import { limitsOff } from "./chat-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Answer, Gate } from "./gate-fixture";
import { mcpOf } from "./mcp-fixture";

const random = () => randomBytes(24).toString("hex");

/** Everything this run must not find again, with what it is, and the parts of it that tell as much. */
const used = new Map<string, string>();
function use<Value extends string>(what: string, value: Value): Value {
  if (value.length < 8) throw new Error(`${what} is too short to be looked for.`);
  used.set(value, what);
  return value;
}

function useToken(what: string, token: string): string {
  // The first part is the same for all tokens, and says nothing.
  for (const part of token.split(".").slice(1)) use(`part of ${what}`, part);
  return use(what, token);
}

const named = (name: string) => use(name, random());
const secrets = {
  JWT_SECRET: named("JWT_SECRET"),
  OPERATOR_SECRET: named("OPERATOR_SECRET"),
  AI_QUOTA_RESET_SECRET: named("AI_QUOTA_RESET_SECRET"),
  METRICS_TOKEN: named("METRICS_TOKEN"),
  OPENAI_API_KEY: use("OPENAI_API_KEY", `sk-proj-${random()}`),
  TTS_API_KEY: named("TTS_API_KEY"),
  WEBHOOK_SECRET: use("WEBHOOK_SECRET", `whsec_${randomBytes(24).toString("base64")}`),
  AI_PRIVATE_KEY: use("AI_PRIVATE_KEY", generatePrivateKey()),
};
const smtpPassword = named("password in SMTP_URL");
const hookPath = named("path of WEBHOOK_URL");
const hookQuery = named("query of WEBHOOK_URL");
use("AI_PRIVATE_KEY without its prefix", secrets.AI_PRIVATE_KEY.slice(2));

let gate: Gate;
let rpc: RpcFaultServer;
let server: RunningServer;
let api: ReturnType<typeof clientOf>;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  gate = await openGate();
  closers.push(gate.close);
  rpc = await startRpcFaultServer({ upstreamUrl: gate.chain.rpcUrl });
  closers.push(rpc.stop);
  // Both providers repeat the key they were given in what they refuse with, as some do.
  const words = (key: string) => `Incorrect API key provided: ${key}. Authorization: Bearer ${key}`;
  const model = await startOpenAiServer(
    refusing({ status: 401, message: words(secrets.OPENAI_API_KEY) }),
    refusing({ status: 500, message: words(secrets.OPENAI_API_KEY) }),
    saying("An answer."),
  );
  closers.push(model.close);
  const speaker = await startSpeechServer(
    answeringSpeech({
      status: 401,
      headers: { "Content-Type": "text/plain" },
      text: words(secrets.TTS_API_KEY),
    }),
  );
  closers.push(speaker.close);
  const hook = await startRefusingHook();
  closers.push(hook.close);
  server = await startServer({
    env: {
      ...{ ...limitsOff, ...secrets, LOG_LEVEL: "trace" },
      ...{ RATE_LIMIT_SESSION: "0", RATE_LIMIT_QUOTA_RESET: "0", RATE_LIMIT_OPERATOR: "0" },
      RPC_URL: `${rpc.url}/${named("key in RPC_URL")}?key=${named("query of RPC_URL")}`,
      KEY_CONTRACT_ADDRESS: gate.contract,
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      ...{ AI_PROVIDER: "openai", OPENAI_BASE_URL: model.baseUrl },
      ...{ TTS_PROVIDER: "local", TTS_BASE_URL: speaker.baseUrl },
      WEBHOOK_URL: `${hook.origin}/${hookPath}?key=${hookQuery}`,
      // Nobody listens there.
      ...{ SMTP_URL: `smtp://mailer:${smtpPassword}@127.0.0.1:9`, NOTIFY_EMAIL: "desk@gate.example" },
    },
  });
  closers.push(server.stop);
  api = clientOf(server);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** Refuses every notification and says aloud what it was sent. */
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

/** Every address that takes a token, with the token in every place, right and forged. */
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
    const answer = await fetch(`${api.origin}/operator/session?secret=${secret}`, {
      ...{ method: "POST", redirect: "manual", headers },
      body: new URLSearchParams({ secret, next: `/operator/keys?secret=${secret}` }),
    });
    statuses.push(answer.status);
    const cookie = answer.headers.get("set-cookie")?.split(";")[0];
    if (secret !== secrets.OPERATOR_SECRET) continue;
    use("an operator's cookie", cookie!.split("=")[1]!);
    for (const name of ["state", "decisions", "outbox", "audit", "submissions", "nothing"])
      await told(api.ask({ path: `/operator/${name}?secret=${secret}`, headers: { cookie: cookie! } }));
    const foreign = { cookie: cookie!, Origin: "https://other.example" };
    await told(api.ask({ path: "/operator/do/sign-out", method: "POST", headers: foreign }));
    await told(
      api.ask({ path: "/operator/do/sign-out", method: "POST", headers: { cookie: cookie!, ...headers } }),
    );
  }
}

test("a full run's log, at its most talkative, holds no secret, token, nonce, signature, cookie or text it used", async () => {
  const holder = await gate.mintKey();
  const token = await signInEveryWay(holder);
  await keepSession(token);
  await carryEverywhere(token);
  await resetQuotas();
  await operate();
  const bearer = { Authorization: `Bearer ${token}` };
  const pay = { amount: "0.0001", idempotencyKey: "payment-1" };
  // The wallet has no money: what it would have signed fails.
  await mcpOf(api).callTool({ name: "send_crypto_to_signed_in_user", args: pay, headers: bearer });
  const message = use("what somebody wrote", "a message nobody should read in a log");
  const form = useBody("a form", await api.formBody({ ...holder, message }));
  expect((await told(api.post("/api/form-submission-gate", form))).status).toBe(200);
  await told(api.post("/api/form-submission-gate", form));
  await waitUntil(() => server.output().split("outbox: not delivered").length > 2);
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

  // The log comes through a pipe: what was asked last is in it when the process has ended.
  const last = await told(api.ask({ path: "/api/nonce" }));
  use("a nonce nobody used", String(last.body.nonce));
  await server.stop();
  const log = server.output();
  expect(log).toContain(last.headers.get("x-request-id"));
  for (const status of [200, 303, 400, 401, 403, 404, 500, 503]) {
    expect(statuses, "one of each kind of answer").toContain(status);
    expect(log).toContain(`"status":${status}`);
  }
  const found = [...used].filter(([value]) =>
    [value, encodeURIComponent(value), Buffer.from(value).toString("base64").slice(0, -4)].some((spelling) =>
      log.includes(spelling),
    ),
  );
  expect(used.size).toBeGreaterThan(60);
  expect(found.map(([, what]) => what)).toEqual([]);
}, 120_000);
