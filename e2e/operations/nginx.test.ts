import { readFile, rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hasOpenssl, sayWithoutOpenssl } from "~e2e/support/certificates";
import { holdStart } from "~e2e/support/held-start";
import { checkConfiguration, placeConfiguration, startNginx } from "~e2e/support/providers/nginx";
import { findNginx } from "~e2e/support/obtain-programs";
import { talkingForever } from "~e2e/support/providers/openai-server";
import { waitUntil } from "~e2e/support/processes";
import { openChat, readUntil } from "../api/chat-fixture";
import { clientOf } from "../api/gate-fixture";
import { openSite } from "./instances-fixture";
import type { Site } from "./instances-fixture";
import { bearerOf, walkThrough } from "./instances-journey";
import { findFreePort } from "~e2e/support/free-port";

/** A run without nginx says so when it begins. */
const nginx = hasOpenssl ? findNginx() : null;
sayWithoutOpenssl("docs/nginx.conf, which has a certificate");
const testWithNginx = test.skipIf(nginx === null);

let site: Site;
let origin: string;
let port: number;
let running: Awaited<ReturnType<typeof startNginx>>;
let gonePort: number;

beforeAll(async () => {
  if (nginx === null) return;
  port = await findFreePort();
  origin = `http://localhost:${port}`;
  site = await openSite(origin, { RATE_LIMIT_TOKEN_STATUS: "0" });
  const deployment = await placeConfiguration([
    ["    listen 80;\n", `    listen 127.0.0.1:${await findFreePort()};\n`],
    // In clear on the loopback address. The TLS version is checked below.
    ["    listen 443 ssl;", `    listen 127.0.0.1:${port};`],
    ["127.0.0.1:3001", `127.0.0.1:${site.servers[0]!.port}`],
    ["127.0.0.1:3002", `127.0.0.1:${site.servers[1]!.port}`],
  ]);
  running = await startNginx({ program: nginx, deployment, port });
}, 120_000);
afterAll(async () => {
  await running?.stop();
  await site?.close();
}, 60_000);

testWithNginx("nginx accepts docs/nginx.conf unchanged, but for the certificate", async () => {
  const { dir, file } = await placeConfiguration([]);
  onTestFinished(() => rm(dir, { recursive: true }));
  const said = await checkConfiguration({ program: nginx!, file });
  expect(said).toContain("test is successful");
  expect(said).not.toContain("[warn]");
});

testWithNginx(
  "nginx accepts it with the single server that its head and docs/deploying.md name",
  async () => {
    const [, upstream] = /`upstream latchkey` keeps a single `server` line, `([^`]+)`/.exec(
      (await readFile("docs/deploying.md", "utf8")).replaceAll("\n", " "),
    )!;
    const text = await readFile("docs/nginx.conf", "utf8");
    expect(text).toContain(`has one \`server\` line: ${upstream}\n`);
    const [, both] = /^( +server 127\.0\.0\.1:3001 .*\n +server 127\.0\.0\.1:3002 .*\n)/m.exec(text)!;
    const { dir, file } = await placeConfiguration([[both!, `    ${upstream}\n`]]);
    onTestFinished(() => rm(dir, { recursive: true }));
    const said = await checkConfiguration({ program: nginx!, file });
    expect(said).toContain("test is successful");
    expect(said).not.toContain("[warn]");
  },
);

// nginx 1.25.1 and newer warn about it, but the installed one may be older.
test("docs/nginx.conf has no directive that newer versions warn about", async () => {
  const lines = (await readFile("docs/nginx.conf", "utf8")).split("\n").map((line) => line.trim());
  expect(lines.filter((line) => /^listen\b/.test(line))).toEqual(["listen 80;", "listen 443 ssl;"]);
});

testWithNginx("a holder goes from sign-in to the used key through two servers behind nginx", async () => {
  await walkThrough({ site, origin });
  for (const server of site.servers) expect(server.output()).toContain('"route":"/api/');
  const ids = ["conversation-of-nobody-1", "conversation-of-nobody-2"];
  await clientOf({ origin }).ask({ path: `/api/chat/${ids[0]}/stream` });
  await clientOf({ origin }).ask({ method: "POST", path: `/api/chat/${ids[1]}/stop` });
  // The proxy's log has neither the signatures of media links nor the ids that open conversations.
  const log = await running.readLog();
  for (const asked of ["GET /api/chat/*/stream", "POST /api/chat/*/stop"]) expect(log).toContain(asked);
  expect(log).not.toContain("conversation-of-nobody");
  expect(log).toContain("GET /media/");
  expect(log).not.toContain("sig=");
});

testWithNginx("a client's own claims about its address or host are ignored", async () => {
  const forged = {
    "X-Forwarded-For": "203.0.113.77",
    "X-Forwarded-Host": "evil.example",
    "X-Request-Id": "f".repeat(20),
  };
  const answer = await clientOf({ origin }).ask({ path: "/api/nonce", headers: forged });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  const lines = () => site.servers.map((server) => server.output()).join("");
  await waitUntil(() => lines().includes(answer.headers.get("x-request-id")!));
  expect(lines()).not.toContain("203.0.113.77");
});

testWithNginx("words of a stream pass nginx as they come, and leaving reaches the server", async () => {
  const client = clientOf({ origin });
  const bearer = bearerOf(await client.signIn(await site.gate.mintKey()));
  site.setModel(talkingForever());
  try {
    const { outgoing, incoming } = await openChat({ port, headers: { ...bearer, host: client.domain } });
    // The model never ends, so only a proxy that streams lets these through.
    await readUntil(incoming, "on and on");
    outgoing.destroy();
    const standing = async () => (await client.ask({ path: "/api/quota", headers: bearer })).body;
    await waitUntil(async () => (await standing()).reserved === 0 && Number((await standing()).used) > 0);
  } finally {
    site.setModel(null);
  }
});

testWithNginx("the metrics are not served to the public", async () => {
  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
});

testWithNginx("a refusal with 503 passes unchanged, and takes no server out of rotation", async () => {
  const ask = async (path: string) => (await fetch(`${origin}${path}`)).status;
  site.way.cut();
  onTestFinished(() => site.way.mend());
  for (let turn = 0; turn < 3; turn++) {
    expect([await ask("/api/token-status/1"), await ask("/api/settings")]).toEqual([503, 200]);
  }
  site.way.mend();
  await waitUntil(async () => (await ask("/api/token-status/1")) === 200);
});

testWithNginx("requests are answered while one of the servers is gone", async () => {
  const [gone] = site.servers.splice(0, 1);
  gonePort = gone!.port;
  await gone!.stop();
  const client = clientOf({ origin });
  for (let turn = 0; turn < 6; turn++) expect((await client.ask({ path: "/api/nonce" })).status).toBe(200);
  await walkThrough({ site, origin });
});

const toBeSeen = { timeoutMs: 20_000 };

testWithNginx(
  "requests are answered by the other server, or with 503, while one restarts",
  async () => {
    const { gate } = site;
    const env = { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract };
    const held = await holdStart(env, gonePort);
    onTestFinished(held.stop);
    const seen = new Set<number>();
    await waitUntil(async () => {
      const { status, headers } = await fetch(`${origin}/api/nonce`);
      expect(["200 after null", "503 after 2"]).toContain(`${status} after ${headers.get("Retry-After")}`);
      return seen.add(status).size === 2;
    }, toBeSeen);
  },
  60_000,
);
