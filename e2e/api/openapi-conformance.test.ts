import { generateKeyPairSync } from "node:crypto";
import { cp, mkdtemp, open, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { OpenApiDocument } from "~/platform/openapi/api-registry";
import { buildApiDocument } from "~/services/api-description.server";
import { removeServerDatabase, runsOnPostgresql } from "~e2e/support/databases/chosen-database";
import { distinctLimits } from "~e2e/support/limits";
import { holdStart } from "~e2e/support/held-start";
import { findFaults, findOperation, listOperations } from "~e2e/support/openapi-checker";
import { waitUntil } from "~e2e/support/processes";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { asPage, asScript, forwardedFor, openDoorClient, wiki } from "./door-fixture";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const metricsToken = "metrics-token-of-the-tests";
const resetSecret = "a-quota-reset-secret-of-the-tests";
const json = { "Content-Type": "application/json" };

let gate: Gate;
let document: OpenApiDocument;
let contentDir: string;
let holder: Awaited<ReturnType<Gate["mintKey"]>>;
const servers: RunningServer[] = [];
/** Responses seen, as `get /api/nonce 200`. */
const seen = new Set<string>();

beforeAll(async () => {
  contentDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-content-"));
  await cp("app/demo/content", contentDir, { recursive: true });
  gate = await openGate({
    env: {
      METRICS_TOKEN: metricsToken,
      CONTENT_DIR: contentDir,
      RATE_LIMIT_FORM_SUBMISSION: "30/60",
      RATE_LIMIT_QUOTA_RESET: "30/60",
      AI_QUOTA_RESET_SECRET: resetSecret,
      BRAND_ACCENT: "#8a1c5a",
    },
  });
  document = (await (await fetch(`${gate.origin}/api/openapi`)).json()) as OpenApiDocument;
  holder = await gate.mintKey();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await gate.close();
  await rm(contentDir, { recursive: true, force: true });
});

type Asked = { path: string; method?: string; headers?: Record<string, string>; body?: string | Uint8Array };

/** Sends the request and compares the response with the document: status, headers, content type, body. */
async function expectDescribed(
  { path, method = "GET", headers = {}, body }: Asked,
  { status, origin = gate.origin, by = document }: { status: number; origin?: string; by?: OpenApiDocument },
): Promise<{ headers: Headers; text: string }> {
  const init: RequestInit = {
    method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body: body as BodyInit }),
  };
  const response = await fetch(`${origin}${path}`, init);
  const text = await response.text();
  const answer = { method, path, status: response.status, headers: response.headers, text };
  expect(answer.status, `${method} ${path}: ${text.slice(0, 500)}`).toBe(status);
  expect(findFaults(by, answer), `${method} ${path} ${status}`).toEqual([]);
  const described = findOperation({ document: by, method, path })!;
  seen.add(`${described.method} ${described.path} ${status}`);
  return answer;
}

function post(path: string, value: unknown, headers: Record<string, string> = {}): Asked {
  return { path, method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(value) };
}

async function openServer(env: Record<string, string | undefined>): Promise<RunningServer> {
  const server = await startServer({
    env: { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, ...env },
  });
  servers.push(server);
  return server;
}

const gatePath = "/api/gate-access";
const formPath = "/api/form-submission-gate";
const resetPath = "/api/quota-reset";

test("the gate admits as described, by all three proofs", async () => {
  const signedIn = await expectDescribed(post(gatePath, await gate.siweBody(holder)), { status: 200 });
  const { accessToken } = JSON.parse(signedIn.text) as { accessToken: string };
  await expectDescribed(post(gatePath, await gate.legacyBody(holder)), { status: 200 });
  const bearer = { Authorization: `Bearer ${accessToken}` };
  await expectDescribed({ path: gatePath, method: "POST", headers: bearer }, { status: 200 });
  await expectDescribed(post(gatePath, { tokenId: holder.tokenId }, bearer), { status: 200 });
  await expectDescribed(post(gatePath, { tokenId: "999999" }, bearer), { status: 401 });
});

test("the gate refuses as described", async () => {
  const stranger = privateKeyToAccount(generatePrivateKey());
  const strangers = await gate.siweBody({ account: stranger, tokenId: holder.tokenId });
  await expectDescribed(post(gatePath, strangers), { status: 403 });
  await expectDescribed({ path: gatePath, method: "POST" }, { status: 401 });
  await expectDescribed(post(gatePath, {}, { Authorization: "Bearer nonsense" }), { status: 401 });
  await expectDescribed(post(gatePath, { unknown: 1 }), { status: 400 });
  await expectDescribed(post(gatePath, { tokenId: "0x1" }), { status: 400 });
  await expectDescribed(post(gatePath, { ...strangers, signature: "0x", address: 5 }), { status: 400 });
});

test("the session answers and refuses as described", async () => {
  const at = "/session";
  const { body } = await gate.signIn(holder);
  const token = String(body.accessToken);
  const own = { Cookie: `access_token=${token}` };
  const elsewhere = { ...own, "Sec-Fetch-Site": "cross-site" };
  const begin = { path: at, method: "POST", headers: { Authorization: `Bearer ${token}` } };
  await expectDescribed(begin, { status: 200 });
  await expectDescribed(post(at, { renew: true }, own), { status: 200 });
  await expectDescribed(post(at, { open: true }, own), { status: 200 });
  await expectDescribed({ path: at, headers: own }, { status: 200 });
  await expectDescribed({ path: at, headers: { Cookie: "access_token=no" } }, { status: 200 });
  await expectDescribed({ path: at, method: "DELETE", headers: own }, { status: 200 });
  await expectDescribed(post(at, { renew: true }), { status: 401 });
  await expectDescribed(post(at, { renew: 1 }, own), { status: 400 });
  await expectDescribed(post(at, { other: "a".repeat(13_000) }, own), { status: 413 });
  await expectDescribed({ ...post(at, {}), headers: { "Content-Type": "text/plain" } }, { status: 415 });
  for (const method of ["GET", "POST", "DELETE"]) {
    await expectDescribed({ path: at, method, headers: elsewhere }, { status: 403 });
  }
  await expectDescribed({ path: at, method: "PUT" }, { status: 405 });
});

test("the door answers as described, and what leads to it", async () => {
  const { origin } = await openServer({
    DOOR_HOSTS: wiki,
    TRUST_PROXY: "loopback",
    RATE_LIMIT_DOOR: "99/60",
  });
  const by = (await (await fetch(`${origin}/api/openapi`)).json()) as OpenApiDocument;
  const door = openDoorClient({ origin });
  const { body } = await clientOf({ origin }).signIn(holder);
  const token = String(body.accessToken);
  const expectHere = (asked: Asked, status: number) => expectDescribed(asked, { status, origin, by });
  const path = "/api/door";
  const page = { ...forwardedFor(wiki), ...asPage };
  const lost = { ...page, Cookie: "__Host-latchkey-door=no" };
  await expectHere({ path, headers: { ...page, Cookie: await door.letIn(token) } }, 200);
  await expectHere({ path, headers: lost }, 302);
  await expectHere({ path: `${path}?answer=status`, headers: lost }, 401);
  await expectHere({ path, headers: { ...page, ...asScript } }, 401);
  await expectHere({ path }, 403);
  const headers = { "X-Forwarded-Host": wiki };
  for (const [name, status] of Object.entries({ start: 302, enter: 400, leave: 302 })) {
    await expectHere({ path: `/.latchkey/${name}`, headers }, status);
    await expectHere({ path: `/.latchkey/${name}` }, 404);
    await expectHere({ path: `/.latchkey/${name}`, method: "POST", headers }, 405);
  }
  const begun = await door.beginWayIn(token);
  await expectHere({ path: begun.enterPath, headers: { ...headers, Cookie: begun.startCookie } }, 302);
  await expectHere(post("/session", (await door.start("/")).order, { Cookie: `access_token=${token}` }), 200);
}, 60_000);

test("the form refuses a key that came too recently as described", async () => {
  const { origin } = await openServer({ KEY_USE_CONFIRMATIONS: "2", OWNERSHIP_CACHE_SECONDS: "0" });
  const { account: seller, tokenId } = await gate.mintKey();
  const account = await gate.rich();
  await gate.transferKey({ from: seller, to: account.address, tokenId });
  const form = await clientOf({ origin }).formBody({ account, tokenId, message: "Hello." });
  await expectDescribed(post(formPath, form), { status: 409, origin });
});

test("the form answers as described, the second time too", async () => {
  const key = await gate.mintKey();
  const first = await gate.formBody({ ...key, message: "Hello." });
  await expectDescribed(post(formPath, first), { status: 200 });
  const second = await gate.formBody({ ...key, message: "Hello again." });
  await expectDescribed(post(formPath, second), { status: 403 });
  await expectDescribed(post(gatePath, await gate.siweBody(key)), { status: 403 });
  await expectDescribed({ path: `/api/token-status/${key.tokenId}` }, { status: 200 });
  await expectDescribed(post(formPath, { ...first, message: "" }), { status: 400 });
  await expectDescribed(post(formPath, { ...first, timestamp: first.timestamp - 400_000 }), { status: 401 });
});

test("another wallet's signature is refused with the challenge that every 401 has", async () => {
  const first = await gate.formBody({ ...holder, message: "Hello." });
  await expectDescribed(post(formPath, { ...first, messageHash: undefined }), { status: 401 });
});

test("bodies that no route takes are refused as described", async () => {
  for (const path of [gatePath, formPath, resetPath]) {
    const headers = { "x-quota-reset-secret": resetSecret };
    await expectDescribed(
      { path, method: "POST", headers: { ...json, ...headers }, body: "{" },
      { status: 400 },
    );
    await expectDescribed({ path, method: "POST", headers, body: "text" }, { status: 415 });
    const huge = JSON.stringify({ message: "a".repeat(70_000) });
    await expectDescribed(
      { path, method: "POST", headers: { ...json, ...headers }, body: huge },
      { status: 413 },
    );
  }
});

test("the status of a key is answered as described", async () => {
  await expectDescribed({ path: `/api/token-status/${holder.tokenId}` }, { status: 200 });
  await expectDescribed({ path: "/api/token-status/987654321" }, { status: 200 });
  await expectDescribed({ path: "/api/token-status/abc" }, { status: 400 });
});

test("the quota is answered and reset as described", async () => {
  const { accessToken } = (await gate.signIn(holder)).body;
  const bearer = { Authorization: `Bearer ${String(accessToken)}` };
  await expectDescribed({ path: "/api/quota", headers: bearer }, { status: 200 });
  await expectDescribed({ path: "/api/quota" }, { status: 401 });
  await expectDescribed(
    { path: "/api/quota", headers: { Authorization: "Bearer nonsense" } },
    { status: 401 },
  );
  const cookie = { Cookie: `access_token=${String(accessToken)}`, "Sec-Fetch-Site": "cross-site" };
  await expectDescribed({ path: "/api/quota", headers: cookie }, { status: 403 });
  const secret = { "x-quota-reset-secret": resetSecret };
  await expectDescribed(post(resetPath, { all: true }, secret), { status: 200 });
  await expectDescribed(post(resetPath, { scope: "token", tokenIds: ["1"] }, secret), { status: 200 });
  await expectDescribed(post(resetPath, { all: true }), { status: 401 });
});

test("the routes of the service answer as described", async () => {
  for (const path of [
    "/api/nonce",
    "/api/settings",
    "/.well-known/jwks.json",
    "/healthz",
    "/readyz",
    "/sandbox",
    "/manifest.webmanifest",
    "/sw.js",
    "/brand/any/icon.svg",
    "/brand/any/accent.css",
  ]) {
    await expectDescribed({ path }, { status: 200 });
  }
  const { headers } = await expectDescribed({ path: "/api/openapi" }, { status: 200 });
  const etag = headers.get("etag")!;
  expect(headers.get("cache-control")).toBe("public, max-age=300");
  for (const names of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    await expectDescribed({ path: "/api/openapi", headers: { "If-None-Match": names } }, { status: 304 });
  }
  await expectDescribed({ path: "/api/openapi", headers: { "If-None-Match": '"other"' } }, { status: 200 });
  const keys = await expectDescribed({ path: "/api/keys" }, { status: 200 });
  const known = { "If-None-Match": keys.headers.get("etag")! };
  await expectDescribed({ path: "/api/keys", headers: known }, { status: 304 });
  await expectDescribed({ path: "/brand/any/logo.svg" }, { status: 404 });
  await expectDescribed({ path: "/metrics" }, { status: 401 });
  await expectDescribed(
    { path: "/metrics", headers: { Authorization: `Bearer ${metricsToken}` } },
    { status: 200 },
  );
});

test("files of the room are answered as described: whole, in ranges and missing", async () => {
  const { body } = await gate.signIn(holder);
  const { audioSrc } = (body.content as { audioData: { audioSrc: string } }).audioData;
  const { headers } = await expectDescribed({ path: audioSrc }, { status: 200 });
  await expectDescribed({ path: audioSrc, headers: { Range: "bytes=0-9" } }, { status: 206 });
  await expectDescribed({ path: audioSrc, headers: { Range: "bytes=999999999-" } }, { status: 416 });
  const known = { "If-None-Match": headers.get("etag")! };
  await expectDescribed({ path: audioSrc, headers: known }, { status: 304 });
  await expectDescribed({ path: `${audioSrc}x` }, { status: 403 });
  await rm(path.join(contentDir, path.basename(new URL(audioSrc, gate.origin).pathname)));
  await expectDescribed({ path: audioSrc }, { status: 404 });
});

function fillIn(path: string): string {
  return path.replace("{tokenId}", "1").replace("{file}", "a.wav").replace("{id}", "conversation-0001");
}

test("every route refuses other methods as described", async () => {
  const operations = listOperations(document);
  for (const { path } of operations) {
    const actual = fillIn(path);
    const own = operations.flatMap((operation) => (operation.path === path ? [operation.method] : []));
    const others = ["GET", "POST", "PUT", "DELETE"].filter((name) => !own.includes(name.toLowerCase()));
    for (const other of others) await expectDescribed({ path: actual, method: other }, { status: 405 });
    // Every method of a route refuses the same other methods.
    for (const method of own) seen.add(`${method} ${path} 405`);
  }
});

const chatPath = "/api/chat";
const question = { messages: [{ role: "user", content: "Hello" }] };
const talkative = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true", AI_OFFLINE_WORD_MS: "0" };

test("the chat is answered as described, and its quota too", async () => {
  const server = await openServer({ ...talkative, AI_CHAT_QUOTA_TOKENS: "1" });
  const { origin } = server;
  const { body } = await clientOf({ origin }).signIn(holder);
  const bearer = { Authorization: `Bearer ${String(body.accessToken)}` };
  const elsewhere = { cookie: `jwt=${String(body.accessToken)}`, "sec-fetch-site": "cross-site" };

  await expectDescribed({ path: "/api/quota", headers: bearer }, { status: 200, origin });
  const { headers, text } = await expectDescribed(post(chatPath, question, bearer), { status: 200, origin });
  expect(headers.get("x-quota-limit")).toBe("1");
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  await expectDescribed({ path: "/api/quota", headers: bearer }, { status: 200, origin });
  await expectDescribed(post(chatPath, question, bearer), { status: 429, origin });
  await expectDescribed(post(chatPath, { ...question, model: "no such" }, bearer), { status: 400, origin });
  await expectDescribed(post(chatPath, { messages: [{ role: "user" }] }, bearer), { status: 400, origin });
  await expectDescribed(post(chatPath, {}, bearer), { status: 400, origin });
  await expectDescribed({ path: "/api/models", headers: bearer }, { status: 200, origin });
  for (const [wrong, status] of [
    [{}, 401],
    [{ Authorization: "Bearer x" }, 401],
    [elsewhere, 403],
  ] as [Record<string, string>, number][]) {
    await expectDescribed(post(chatPath, question, wrong), { status, origin });
    for (const path of ["/api/quota", "/api/models"]) {
      await expectDescribed({ path, headers: wrong }, { status, origin });
    }
  }

  const told = { path: chatPath, method: "POST", headers: json };
  await expectDescribed({ ...told, body: "{" }, { status: 400, origin });
  const huge = JSON.stringify({ pad: "a".repeat(270_000) });
  await expectDescribed({ ...told, body: huge }, { status: 413, origin });
  await expectDescribed({ ...told, headers: {}, body: "text" }, { status: 415, origin });
});

test("answers are taken up and stopped as described", async () => {
  const slow = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true", AI_OFFLINE_WORD_MS: "50" };
  const { origin } = await openServer({ ...slow, RATE_LIMIT_CHAT_RESUME: "10/60" });
  const { body } = await clientOf({ origin }).signIn(holder);
  const bearer = { Authorization: `Bearer ${String(body.accessToken)}` };
  const elsewhere = { cookie: `jwt=${String(body.accessToken)}`, "sec-fetch-site": "cross-site" };
  const inConversation = { ...question, id: "conversation-0001" };
  const begin = post(chatPath, inConversation, { ...bearer, "X-Chat-Resumable": "1" });
  const stream = { path: `${chatPath}/conversation-0001/stream` };
  const stop = { path: `${chatPath}/conversation-0001/stop`, method: "POST" };
  await expectDescribed({ ...stream, headers: bearer }, { status: 204, origin });
  const first = expectDescribed(begin, { status: 200, origin });
  await waitUntil(async () => {
    const response = await fetch(`${origin}${stream.path}`, { method: "HEAD", headers: bearer });
    return response.status === 200;
  });
  await expectDescribed(begin, { status: 409, origin });
  await expectDescribed({ ...stop, headers: bearer }, { status: 204, origin });
  await expectDescribed({ ...stop, headers: { ...bearer, "X-Reply-Id": "x" } }, { status: 400, origin });
  const { text } = await first;
  expect((await expectDescribed({ ...stream, headers: bearer }, { status: 200, origin })).text).toBe(text);
  for (const [headers, status] of [
    [{}, 401],
    [elsewhere, 403],
  ] as [Record<string, string>, number][]) {
    await expectDescribed({ ...stream, headers }, { status, origin });
    await expectDescribed({ ...stop, headers }, { status, origin });
  }
  while ((await fetch(`${origin}${stream.path}`, { headers: bearer })).status !== 429) continue;
  await expectDescribed({ ...stream, headers: bearer }, { status: 429, origin });
  await expectDescribed({ ...stop, headers: bearer }, { status: 429, origin });
});

const mcpPath = "/api/mcp";
const listing = { method: "tools/list" };

test("the tools are listed, called and refused as described", async () => {
  const { accessToken } = (await gate.signIn(holder)).body;
  const bearer = { Authorization: `Bearer ${String(accessToken)}` };
  const mcp = { jsonrpc: "2.0", id: 1 };
  const stateless = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const named = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "ping" };
  const wanted = (name: string, args = {}) => ({ method: "tools/call", params: { name, arguments: args } });
  for (const [message, status, headers] of [
    [listing, 200, {}],
    [{ ...mcp, ...listing }, 200, {}],
    [{ ...mcp, id: "a", ...wanted("key_status", { tokenId: holder.tokenId }) }, 200, bearer],
    [wanted("get_gated_content"), 200, bearer],
    [wanted("key_status", { tokenId: "x" }), 200, {}],
    [{ ...mcp, method: "none" }, 200, {}],
    [{ jsonrpc: "2.0", method: "notifications/initialized" }, 202, {}],
    [[], 400, {}],
    [{ ...mcp, id: null, method: "ping" }, 400, {}],
    [{ ...mcp, method: "ping" }, 400, { "MCP-Protocol-Version": "1999-01-01" }],
    [wanted("mark_key_used"), 401, {}],
    [{ ...mcp, ...listing }, 401, { Authorization: "Bearer x" }],
    [listing, 403, { Origin: "https://evil.example" }],
    [{ ...mcp, method: "ping", params: { _meta: stateless } }, 404, named],
  ] as [unknown, number, Record<string, string>][]) {
    await expectDescribed(post(mcpPath, message, headers), { status });
  }
  const told = { path: mcpPath, method: "POST", headers: json };
  await expectDescribed({ ...told, body: "{" }, { status: 400 });
  const asMcp = { ...json, Accept: "application/json, text/event-stream" };
  await expectDescribed({ ...told, headers: asMcp, body: "{" }, { status: 400 });
  await expectDescribed({ ...told, body: JSON.stringify("a".repeat(270_000)) }, { status: 413 });
  await expectDescribed({ ...told, headers: {}, body: "text" }, { status: 415 });
  const wellKnown = "/.well-known/oauth-protected-resource";
  await expectDescribed({ path: `${wellKnown}/api/mcp` }, { status: 200 });
  await expectDescribed({ path: `${wellKnown}/api/none` }, { status: 404 });
});

test("a database outage is answered as described", async () => {
  const { origin, dataDir } = await openServer(talkative);
  const { body } = await clientOf({ origin }).signIn(holder);
  const bearer = { Authorization: `Bearer ${String(body.accessToken)}` };
  await expectDescribed({ path: "/api/quota", headers: bearer }, { status: 200, origin });
  await (runsOnPostgresql ? removeServerDatabase(dataDir) : breakFile(path.join(dataDir, "latchkey.db")));
  await expectDescribed(post(chatPath, question, bearer), { status: 503, origin });
  await expectDescribed({ path: "/api/quota", headers: bearer }, { status: 503, origin });
  await expectDescribed(post(mcpPath, listing, bearer), { status: 503, origin });
});

/** Overwrites the file with garbage. A change through another connection first makes the server read it again. */
async function breakFile(filePath: string): Promise<void> {
  const database = await openDatabase({ url: pathToFileURL(filePath).href });
  await database.nonce.deleteMany();
  await database.$queryRawUnsafe("PRAGMA wal_checkpoint(TRUNCATE)");
  await closeDatabase(database);
  const { size } = await stat(filePath);
  const file = await open(filePath, "r+");
  await file.write(Buffer.alloc(size, "nonsense"), 0, size, 0);
  await file.close();
}

test("exhausted limits are answered as described", async () => {
  const limit = "1/60";
  const strict = await openServer({
    RATE_LIMIT_NONCE: limit,
    RATE_LIMIT_GATE_ACCESS: limit,
    RATE_LIMIT_SESSION: limit,
    RATE_LIMIT_SESSION_ENTER: limit,
    RATE_LIMIT_FORM_SUBMISSION: limit,
    RATE_LIMIT_TOKEN_STATUS: limit,
    RATE_LIMIT_QUOTA_RESET: limit,
    RATE_LIMIT_CHAT: limit,
    RATE_LIMIT_MCP: limit,
    RATE_LIMIT_MODELS: limit,
    RATE_LIMIT_KEYS: limit,
    RATE_LIMIT_QUOTA: limit,
  });
  const { origin } = strict;
  const form = await gate.formBody({ ...holder, message: "For another gate." });
  const requests = [
    { path: "/api/nonce" },
    { path: gatePath, method: "POST" },
    ...["GET", "DELETE"].map((method) => ({ path: "/session", method })),
    post("/session", { renew: true }),
    post(formPath, form),
    { path: "/api/token-status/1" },
    { path: "/api/models" },
    { path: "/api/keys" },
    { path: "/api/quota" },
    post(resetPath, { all: true }),
  ];
  await fetch(`${origin}${chatPath}`, post(chatPath, question) as RequestInit);
  await expectDescribed(post(chatPath, question), { status: 429, origin });
  await fetch(`${origin}${mcpPath}`, post(mcpPath, listing) as RequestInit);
  await expectDescribed(post(mcpPath, listing), { status: 429, origin });
  for (const request of requests) {
    await fetch(`${origin}${request.path}`, request as RequestInit);
    const { headers, text } = await expectDescribed(request, { status: 429, origin });
    expect(headers.get("retry-after")).toBe(String((JSON.parse(text) as { retryAfter: number }).retryAfter));
  }
});

test("a switched-off feature is refused as described", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { origin } = await openServer({
    NEXT_PUBLIC_ENABLE_STATE_WORKER: "false",
    LEGACY_SIGNATURES: "deny",
    AI_QUOTA_RESET_SECRET: resetSecret,
    OPENAPI_ENABLED: "false",
    JWT_SECRET: undefined,
    JWT_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  });
  const other = clientOf({ origin });
  await expectDescribed({ path: "/api/nonce" }, { status: 501, origin });
  const siwe = await other.siweBody({ ...holder, nonce: "0".repeat(32) });
  for (const [body, slug] of [
    [siwe, "siwe-not-enabled"],
    [await other.legacyBody(holder), "legacy-not-accepted"],
  ] as const) {
    const { text } = await expectDescribed(post(gatePath, body), { status: 400, origin });
    expect(text).toContain(`/problems/${slug}`);
  }
  await expectDescribed(post(resetPath, { all: true, secret: resetSecret }), { status: 503, origin });
  const { origin: withoutSecret } = await openServer({});
  await expectDescribed(post(resetPath, { all: true }), { status: 403, origin: withoutSecret });
  await expectDescribed({ path: "/api/openapi" }, { status: 404, origin });
  await expectDescribed({ path: "/metrics" }, { status: 404, origin });
  const { text } = await expectDescribed({ path: "/.well-known/jwks.json" }, { status: 200, origin });
  expect((JSON.parse(text) as { keys: unknown[] }).keys).toHaveLength(1);
});

/** Needs a token that a server without a chain accepts, so both use the gate's place and key. */
async function expectSessionsWithoutChain(): Promise<void> {
  const site = { JWT_SECRET: "one-secret-of-both-servers-of-this-test", JWT_ISS: gate.origin, JWT_AUD: "x" };
  const near = await openServer(site);
  const { body } = await clientOf(near).signIn(holder);
  const { origin } = await openServer({ ...site, RPC_URL: "http://127.0.0.1:9" });
  const headers = { Cookie: `access_token=${String(body.accessToken)}` };
  await expectDescribed({ path: "/session", headers }, { status: 503, origin });
  await expectDescribed(post("/session", { renew: true }, headers), { status: 503, origin });
}

test("a chain outage is answered as described", async () => {
  const { origin } = await openServer({ RPC_URL: "http://127.0.0.1:9" });
  const other = clientOf({ origin });
  await expectDescribed(post(gatePath, await other.siweBody(holder)), { status: 503, origin });
  await expectDescribed(post(formPath, await other.formBody({ ...holder, message: "Hello?" })), {
    status: 503,
    origin,
  });
  const { headers } = await expectDescribed({ path: "/api/token-status/1" }, { status: 503, origin });
  // A starting server omits it, so the description can't require it.
  expect(headers.get("ratelimit")).toMatch(/^"token-status";r=/);
  await expectSessionsWithoutChain();
  await expectDescribed({ path: "/readyz" }, { status: 503, origin });
});

test("a server that is still starting answers every operation as described", async () => {
  const held = await holdStart({ RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract });
  onTestFinished(held.stop);
  const { origin } = held;
  // Every server has the demo's routes built in, but only a demo describes them.
  const ofDemo = buildApiDocument({ origin, limits: distinctLimits(), isDemo: true });
  const refused = await Promise.all(
    listOperations(ofDemo).map(async ({ method, path }) => {
      const by = path in document.paths ? document : ofDemo;
      const asked = { path: fillIn(path), method: method.toUpperCase() };
      const status = path === "/healthz" ? 200 : 503;
      const { headers, text } = await expectDescribed(asked, { status, origin, by });
      if (["/healthz", "/readyz"].includes(path)) return [];
      expect(headers.get("retry-after"), path).toBe("2");
      expect(text).toMatch(/still starting|"State unavailable"/);
      return [`${method} ${path}`];
    }),
  );
  expect(refused.flat()).toHaveLength(listOperations(ofDemo).length - 2);
}, 60_000);

test("every answered or described problem has a page that can be read", async () => {
  const slugs = new Set(
    [...JSON.stringify(document).matchAll(/\/problems\/([a-z-]+)/g)].map(([, slug]) => slug!),
  );
  expect(slugs.size).toBeGreaterThanOrEqual(17);
  for (const slug of slugs) {
    const page = await fetch(`${gate.origin}/problems/${slug}`, { headers: { Accept: "text/html" } });
    expect(page.status, slug).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(await page.text()).toContain("What to do");
  }
});

test("speech is answered as described, and refused as described", async () => {
  const speechPath = "/api/tts";
  const { origin } = await openServer({
    NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
    TTS_QUOTA_CHARACTERS: "10",
  });
  const { body } = await clientOf({ origin }).signIn(holder);
  const bearer = { Authorization: `Bearer ${String(body.accessToken)}` };
  const elsewhere = { cookie: `jwt=${String(body.accessToken)}`, "sec-fetch-site": "cross-site" };
  const ask = (value: unknown, headers = bearer as Record<string, string>) =>
    post(speechPath, value, headers);

  const { headers } = await expectDescribed(ask({ text: "Hi.", messageId: "m:0" }), { status: 200, origin });
  expect([headers.get("x-message-id"), headers.get("x-quota-remaining")]).toEqual(["m:0", "7"]);
  await expectDescribed(ask({ text: "a".repeat(4_001) }), { status: 400, origin });
  await expectDescribed(ask({ text: "Hi.", messageId: "m 0" }), { status: 400, origin });
  await expectDescribed({ ...ask({}), body: "{" }, { status: 400, origin });
  await expectDescribed(ask({ text: "Hi." }, {}), { status: 401, origin });
  await expectDescribed(ask({ text: "Hi." }, { Authorization: "Bearer no" }), { status: 401, origin });
  await expectDescribed(ask({ text: "Hi." }, elsewhere), { status: 403, origin });
  await expectDescribed({ path: speechPath, method: "GET" }, { status: 405, origin });
  await expectDescribed(ask({ text: "a".repeat(40_000) }), { status: 413, origin });
  await expectDescribed({ ...ask({}), headers: { "Content-Type": "text/plain" } }, { status: 415, origin });
  await expectDescribed(ask({ text: "Привет" }), { status: 422, origin });
  await expectDescribed(ask({ text: "Eight ch" }), { status: 429, origin });
  const silent = await openServer({ TTS_PROVIDER: "disabled" });
  await expectDescribed(ask({ text: "Hi." }, {}), { status: 503, origin: silent.origin });
});

test("every described answer was observed, except defects and connections that break", () => {
  const unseen = listOperations(document).flatMap(({ method, path, operation }) =>
    Object.keys(operation.responses)
      .filter((status) => !["408", "500"].includes(status))
      .map((status) => `${method} ${path} ${status}`)
      .filter((answer) => !seen.has(answer)),
  );
  expect(unseen).toEqual([]);
});
