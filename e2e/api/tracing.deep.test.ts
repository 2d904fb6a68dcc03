import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startJsonServer } from "~e2e/support/providers/json-server";
import { callingTools, saying, startOpenAiServer } from "~e2e/support/providers/openai-server";
import { startCollector } from "~e2e/support/providers/otlp-collector";
import type { CollectorBehaviour, ReceivedSpan } from "~e2e/support/providers/otlp-collector";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { startServer } from "~e2e/support/running-server";
import { limitsOff } from "~e2e/support/limits";
import { chat, localProvider, signInNew, startProvider } from "./chat-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

const collectorKey = "the-key-of-the-collector-0123456789";

async function start({
  behaviour,
  env = {},
}: { behaviour?: CollectorBehaviour; env?: Record<string, string | undefined> } = {}) {
  const collector = await startCollector({ behaviour });
  onTestFinished(collector.close);
  const server = await startServer({
    env: {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      ...limitsOff,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${collectorKey}`,
      ...env,
    },
  });
  onTestFinished(async () => void (await server.stop()));
  return { collector, server, ...clientOf(server) };
}

const isRequest = (headers: Headers) => (span: ReceivedSpan) =>
  span.attributes["latchkey.request_id"] === headers.get("x-request-id");

function findRoot(trace: readonly ReceivedSpan[]): ReceivedSpan {
  const root = trace.find(({ kind }) => kind === 2);
  if (!root) throw new Error("The trace has no request.");
  return root;
}

/** Every other span is below the request's and within its time. */
function expectOneTree(trace: readonly ReceivedSpan[]): void {
  const known = new Map(trace.map((span) => [span.spanId, span]));
  const root = findRoot(trace);
  for (const span of trace) {
    if (span === root) continue;
    const parent = known.get(span.parentSpanId ?? "");
    expect(parent, `${span.name} has a parent`).toBeDefined();
    expect(span.startTimeUnixNano, span.name).toBeGreaterThanOrEqual(parent!.startTimeUnixNano);
    expect(span.endTimeUnixNano).toBeGreaterThanOrEqual(span.startTimeUnixNano);
  }
}

test("a sign-in is one trace: the route, with the chain below it, and the request id", async () => {
  const { collector, signIn, server } = await start();
  const holder = await gate.mintKey();
  const answer = await signIn(holder);
  expect(answer.status).toBe(200);
  const trace = await collector.waitForTrace({ has: isRequest(answer.headers), names: ["eth_call"] });
  const root = findRoot(trace);
  expect(root).toMatchObject({
    name: "POST /api/gate-access",
    attributes: {
      "http.request.method": "POST",
      "http.route": "/api/gate-access",
      "http.response.status_code": 200,
    },
    resource: { "service.name": "latchkey" },
    status: { code: 0 },
  });
  expect(root.parentSpanId).toBeUndefined();
  expectOneTree(trace);
  const chain = trace.find(({ name }) => name === "eth_call")!;
  expect(chain).toMatchObject({
    kind: 3,
    attributes: { "rpc.system": "jsonrpc", "server.address": new URL(gate.chain.rpcUrl).host },
  });
  expect(collector.requests[0]!.headers["x-collector-key"]).toBe(collectorKey);
  expect(server.output()).not.toContain(collectorKey);
});

test("a chat's trace holds provider, tools and their own requests, and ends with the stream", async () => {
  const provider = await startProvider(
    callingTools({ id: "a", name: "key_status", fragments: ['{"tokenId":"424242"}'] }),
    async (call) => {
      await call.text("one ");
      await new Promise((resolve) => setTimeout(resolve, 300));
      await call.text("two");
      await call.finish();
    },
  );
  const { collector, server } = await start({ env: localProvider(provider) });
  const { status, headers } = await chat({ port: server.port });
  expect(status).toBe(200);
  const trace = await collector.waitForTrace({
    has: (span) => span.attributes["latchkey.request_id"] === headers["x-request-id"],
    names: ["POST /api/chat", "tool key_status", "chat local", "eth_call"],
  });
  expectOneTree(trace);
  const root = findRoot(trace);
  const [asking, answering] = trace.filter(({ name }) => name === "chat local");
  for (const call of [asking!, answering!]) {
    expect(call).toMatchObject({
      parentSpanId: root.spanId,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "local",
        "latchkey.outcome": "ok",
      },
    });
  }
  const slow = [asking!, answering!].find(
    (call) => call.endTimeUnixNano - call.startTimeUnixNano > 250_000_000n,
  );
  expect(slow, "the provider's span lasts as long as its stream").toBeDefined();
  expect(root.endTimeUnixNano).toBeGreaterThanOrEqual(slow!.endTimeUnixNano - 50_000_000n);
  const tool = trace.find(({ name }) => name === "tool key_status")!;
  expect(trace.find(({ name }) => name === "eth_call")!.parentSpanId).toBe(tool.spanId);
});

describe.skipIf(!hasRedis)("tracing with state in Redis", () => {
  test("commands to Redis are spans of their requests, by the script's name, without key or value", async () => {
    const redis = await startRedis();
    const { collector, server, ...api } = await start({
      env: {
        STATE_WORKER_URL: redis.url,
        STATE_WORKER_API_KEY: redis.password,
        RATE_LIMIT_TOKEN_STATUS: "5/600",
        METRICS_TOKEN: "metrics-token-of-the-tests-0123",
      },
    });
    async function findCommand(of: { headers: Headers; script: string }): Promise<ReceivedSpan> {
      const name = `EVALSHA ${of.script}`;
      const trace = await collector.waitForTrace({ has: isRequest(of.headers), names: [name] });
      expectOneTree(trace);
      const span = trace.find((candidate) => candidate.name === name)!;
      expect(span).toMatchObject({ kind: 3, parentSpanId: findRoot(trace).spanId });
      return span;
    }
    const issued = await api.ask({ path: "/api/nonce" });
    const body = await api.siweBody({ ...(await gate.mintKey()), nonce: String(issued.body.nonce) });
    const entered = await api.post("/api/gate-access", body);
    expect(entered.status).toBe(200);
    const attributes = { "db.system.name": "redis", "db.operation.name": "EVALSHA" };
    for (const [{ headers }, script] of [
      [issued, "nonce-issue"],
      [entered, "nonce-consume"],
      [await api.ask({ path: "/api/token-status/1" }), "limit-window"],
    ] as const) {
      const span = await findCommand({ headers, script });
      expect(span.attributes).toEqual({ ...attributes, "db.stored_procedure.name": script });
    }

    await redis.kill();
    const refused = await api.ask({ path: "/api/nonce" });
    expect(refused.status).toBe(500);
    const failed = await findCommand({ headers: refused.headers, script: "nonce-issue" });
    expect(failed).toMatchObject({ attributes: { "error.type": "RedisOutage" }, status: { code: 2 } });

    const headers = { Authorization: "Bearer metrics-token-of-the-tests-0123" };
    const figures = String((await api.ask({ path: "/metrics", headers })).body.text);
    for (const [command, outcome] of [
      ["nonce-consume", "ok"],
      ["nonce-issue", "away"],
    ])
      expect(figures).toContain(
        `latchkey_redis_commands_total{command="${command}",outcome="${outcome}"} 1\n`,
      );
    expect(figures).toMatch(/latchkey_redis_command_duration_seconds_count\{command="nonce-consume"\} 1\n/);
    await server.stop();
    const sent = collector.requests.map(({ text }) => text).join("\n");
    for (const secret of [String(issued.body.nonce), redis.password, "latchkey:", "token-status:"])
      expect(sent).not.toContain(secret);
  });
});

test("search, its vectors and a voice are spans of the requests that asked for them", async () => {
  const embeddings = await startJsonServer(({ body, answer }) => {
    const { input } = body as { input: string[] };
    answer({ data: input.map((_text, index) => ({ index, embedding: [1, 0.5] })) });
  });
  const { collector, post, ask } = await start({
    env: { AI_PROVIDER: "offline", AI_BASE_URL: `${embeddings.origin}/v1`, EMBEDDING_MODEL: "small" },
  });
  const found = await post("/api/mcp", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "libsql_search", arguments: { query: "lamp" } },
  });
  const names = ["tool libsql_search", "search libsql", "embeddings local"];
  const searched = await collector.waitForTrace({ has: isRequest(found.headers), names });
  expectOneTree(searched);
  const tool = searched.find(({ name }) => name === "tool libsql_search")!;
  for (const name of names.slice(1)) {
    expect(searched.find((span) => span.name === name)).toMatchObject({
      parentSpanId: tool.spanId,
      attributes: { "latchkey.outcome": "ok" },
    });
  }
  const spoken = await ask({ path: "/api/tts", method: "POST", json: { text: "Read this aloud." } });
  expect(spoken.status).toBe(200);
  const heard = await collector.waitForTrace({ has: isRequest(spoken.headers), names: ["speech flite"] });
  expectOneTree(heard);
});

test("a refused request's span has its slug, a failed one its status", async () => {
  const { collector, ask } = await start({
    env: { RPC_URL: "http://user:pw@127.0.0.1:9/v3/rpc-path-key?k=rpc-query" },
  });
  const missing = await ask({ path: "/api/quota" });
  expect(missing.status).toBe(401);
  const refused = await collector.waitForTrace({ has: isRequest(missing.headers) });
  expect(findRoot(refused)).toMatchObject({
    attributes: { "http.response.status_code": 401, "latchkey.refusal": "missing-jwt" },
    status: { code: 0 },
  });
  const away = await ask({ path: "/api/token-status/1" });
  expect(away.status).toBe(503);
  const failed = await collector.waitForTrace({ has: isRequest(away.headers), names: ["eth_chainId"] });
  expect(findRoot(failed)).toMatchObject({
    attributes: { "latchkey.refusal": "chain-unavailable", "error.type": "503" },
    status: { code: 2 },
  });
  expect(failed.find(({ name }) => name === "eth_chainId")).toMatchObject({
    attributes: { "server.address": "127.0.0.1:9", "error.type": "error" },
  });
  const sent = collector.requests.map(({ text }) => text).join("\n");
  for (const secret of ["rpc-path-key", "rpc-query", "user:pw"]) expect(sent).not.toContain(secret);
});

test("the caller's trace is continued from a trusted proxy only, and passed on to nobody", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const provider = await startProvider(saying("Hello."));
  for (const isTrusted of [true, false]) {
    const { collector, ask, server } = await start({
      env: { ...localProvider(provider), ...(isTrusted && { TRUST_PROXY: "loopback" }) },
    });
    const answer = await ask({ path: "/api/nonce", headers });
    const root = findRoot(await collector.waitForTrace({ has: isRequest(answer.headers) }));
    expect(root.traceId === traceId).toBe(isTrusted);
    expect(root.parentSpanId).toBe(isTrusted ? "b7ad6b7169203331" : undefined);
    await chat({ port: server.port, headers });
  }
  expect(provider.calls.length).toBe(2);
  for (const call of provider.calls) expect(call.headers).not.toHaveProperty("traceparent");
});

test("no secret, token, signature, nonce, address, key or text reaches the collector", async () => {
  const provider = await startOpenAiServer(saying("words-of-the-answer"));
  onTestFinished(provider.close);
  const { collector, server, ...api } = await start({
    env: { ...localProvider(provider), LEGACY_SIGNATURES: "allow" },
  });
  const { account, tokenId, token, bearer } = await signInNew(gate, api);
  const body = await api.siweBody({ account, tokenId });
  const legacy = await api.legacyBody({ account, tokenId });
  const form = await api.formBody({ account, tokenId, message: "words-of-the-form" });
  for (const [at, json] of [
    ["/api/gate-access", body],
    ["/api/gate-access", body],
    ["/api/gate-access", legacy],
    ["/api/form-submission-gate", form],
  ] as const) {
    await api.post(`${at}?jwt=${token}`, json);
  }
  const question = { messages: [{ role: "user", content: "words-of-the-question" }] };
  await chat({ port: server.port, json: question, headers: bearer });
  await api.ask({ path: `/gate?secret=words-of-the-query&token=${token}`, headers: bearer });
  const last = await api.ask({ path: "/api/nonce", headers: { "User-Agent": "words-of-the-agent" } });
  await collector.waitForTrace({ has: isRequest(last.headers) });
  await server.stop();
  const sent = collector.requests
    .map(({ text }) => text)
    .join("\n")
    .toLowerCase();
  expect(sent).toContain("post /api/form-submission-gate");
  expect(sent).toContain("select ");
  const secrets: Record<string, string> = {
    token,
    signature: body.signature.slice(2),
    "older signature": legacy.signature.slice(2),
    "signature of a form": form.signature.slice(2),
    nonce: String(body.nonce),
    "last nonce": String(last.body.nonce),
    address: account.address.slice(2),
    "key of the collector": collectorKey,
    "client address": "127.0.0.1/",
    ...Object.fromEntries(
      ["form", "question", "answer", "query", "agent"].map((what) => [what, `words-of-the-${what}`]),
    ),
  };
  const found = Object.entries(secrets).filter(([, value]) => sent.includes(value.toLowerCase()));
  expect(found.map(([what]) => what)).toEqual([]);
  for (const { attributes } of collector.spans) {
    expect(Object.keys(attributes)).not.toContain("client.address");
    expect(Object.values(attributes)).not.toContain(tokenId);
  }
});

test("a collector that hangs delays neither answers nor the stop, and its spans are counted as lost", async () => {
  const { collector, server, ask } = await start({
    behaviour: "hang",
    env: { METRICS_TOKEN: "metrics-token-of-the-tests-0123" },
  });
  const numbers = Array.from({ length: 2_600 }, (_, index) => index);
  for (let from = 0; from < numbers.length; from += 100) {
    const answers = await Promise.all(
      numbers.slice(from, from + 100).map(() => ask({ path: "/.well-known/jwks.json" })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
  expect(collector.spans).toEqual([]);
  const figures = await ask({
    path: "/metrics",
    headers: { Authorization: "Bearer metrics-token-of-the-tests-0123" },
  });
  // On a busy machine, the first ones fail before the last ones overflow the queue.
  const lost = [
    ...String(figures.body.text).matchAll(
      /latchkey_trace_spans_total\{outcome="(?:dropped|failed)"\} (\d+)/g,
    ),
  ];
  const sum = lost.reduce((total, [, count]) => total + Number(count), 0);
  expect(sum).toBeGreaterThanOrEqual(2_600 - 2_048);
  expect(await server.stop()).toBe(0);
}, 60_000);

test("tracing is neither loaded nor run without an endpoint", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-tracing-"));
  const hooks = path.join(folder, "hooks.mjs");
  const preload = path.join(folder, "preload.mjs");
  const guard = `/^@(?:opentelemetry\\/(?!api$)|prisma\\/instrumentation)/`;
  await writeFile(
    hooks,
    `export async function resolve(specifier, context, next) {
       if (${guard}.test(specifier)) throw new Error("loaded: " + specifier);
       return next(specifier, context);
     }`,
  );
  await writeFile(
    preload,
    `import { register } from "node:module";
     register(${JSON.stringify(`file://${hooks}`)});`,
  );
  const nodeOptions = ["--import", preload];
  const env = { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract };
  const server = await startServer({ env, nodeOptions });
  onTestFinished(async () => void (await server.stop()));
  const api = clientOf(server);
  expect((await api.signIn(await gate.mintKey())).status).toBe(200);
  expect(server.output()).not.toContain("traced");
  const on = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
  await expect(startServer({ env: on, nodeOptions })).rejects.toThrow(/loaded: @(?:opentelemetry|prisma)\//);
});
