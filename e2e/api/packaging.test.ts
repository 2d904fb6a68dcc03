import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, lstat, mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, testJwtSecret } from "~/testing/running-server";
import type { RunningServer } from "~/testing/running-server";
import { deployKeyContract, startLocalChain } from "../../contracts/local-chain.mjs";
import { readStages } from "./dockerfile-stages";
import { sendRaw } from "./raw-http";
import type { Instruction } from "./dockerfile-stages";

const run = promisify(execFile);
/** Installing every package and building, while other tests run. */
const buildTimeoutMs = 600_000;

const bytesPerMb = 1_000_000;
const largestImageMb = 300;
/** All layers of debian:bookworm-20260918-slim, as Docker's own record of that image gives them. */
const debianMb = 74.83;

/** The patterns of .dockerignore, as far as ours go: everything is out, names come back in, places go out again. */
async function readContext(): Promise<{ names: string[]; isLeftOut: (file: string) => boolean }> {
  const lines = (await readFile(".dockerignore", "utf8"))
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  expect(lines[0]).toBe("*");
  const names = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const leftOut = lines.slice(1).filter((line) => !line.startsWith("!"));
  return { names, isLeftOut: (file) => leftOut.includes(path.normalize(file)) };
}

async function copyFromContext({ names, to }: { names: readonly string[]; to: string }): Promise<void> {
  const context = await readContext();
  for (const name of names) {
    expect(context.names).toContain(name);
    await cp(name, path.join(to, name), { recursive: true, filter: (file) => !context.isLeftOut(file) });
  }
}

/** Docker's first stage, line by line, in a folder in the place of its WORKDIR. */
async function runBuildStage({ stage, folder }: { stage: Instruction[]; folder: string }): Promise<void> {
  const env = { ...process.env, NODE_ENV: undefined, npm_config_prefer_offline: "true" };
  for (const { name, text } of stage) {
    if (name === "COPY") {
      const names = text === ". ." ? (await readContext()).names : text.split(" ").slice(0, -1);
      await copyFromContext({ names, to: folder });
    } else if (name === "RUN") {
      await run("sh", ["-c", text], { cwd: folder, env: env as unknown as NodeJS.ProcessEnv });
    } else {
      expect(["FROM", "WORKDIR"]).toContain(name);
    }
  }
}

async function sumBytes(place: string): Promise<number> {
  const found = await lstat(place);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(place)).map((name) => sumBytes(path.join(place, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

let folder: string;
let imageDir: string;
let chain: Awaited<ReturnType<typeof startLocalChain>>;
let server: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-image-"));
  imageDir = path.join(folder, "away/latchkey");
  const buildDir = path.join(folder, "build");
  const [buildStage] = await readStages();
  await runBuildStage({ stage: buildStage!, folder: buildDir });
  // Out of reach of the node_modules it was made from.
  await cp(path.join(buildDir, "assembled"), imageDir, { recursive: true });
  await rm(buildDir, { recursive: true });
  chain = await startLocalChain();
  const { address } = await deployKeyContract({ rpcUrl: chain.rpcUrl });
  server = await startServer({
    projectDir: imageDir,
    env: {
      ...{ RPC_URL: chain.rpcUrl, KEY_CONTRACT_ADDRESS: address, JWT_SECRET: testJwtSecret },
      ...{ NEXT_PUBLIC_DOMAIN: "gate.example", PUBLIC_ORIGIN: "https://gate.example" },
      // Left out, whatever database the tests run on: SQLite, as the image has it.
      DATABASE_URL: undefined,
    },
  });
}, buildTimeoutMs);
afterAll(async () => {
  await server?.stop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
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

test.each([
  "/",
  "/gate",
  "/chat",
  "/docs",
  "/problems/chain-unavailable",
  "/api/nonce",
  "/api/openapi",
  "/favicon.svg",
])("the assembled server answers %s", async (place) => {
  const answer = await fetch(`${server.origin}${place}`);
  const body = await answer.text();
  expect(answer.status, body.slice(0, 500)).toBe(200);
  const [script] = /\/build\/[^"]+\.js/.exec(body) ?? [];
  if (script) expect((await fetch(`${server.origin}${script}`)).status).toBe(200);
});

test("the assembled server speaks, and answers from the documents", async () => {
  const headers = { "Content-Type": "application/json" };
  const speech = await fetch(`${server.origin}/api/tts`, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ text: "The door is open." }),
  });
  expect([speech.status, speech.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
  expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(2000);
  const chat = await fetch(`${server.origin}/api/chat`, {
    ...{ method: "POST", headers },
    body: JSON.stringify({ messages: [{ role: "user", content: "Where is the database kept?" }] }),
  });
  const told = await chat.text();
  expect([chat.status, told.includes("[DONE]"), told.includes("failed")], told).toEqual([200, true, false]);
  // The host is the one that its proxy passes on.
  const question = { name: "libsql_search", arguments: { query: "How do I gate my own contract?", topK: 1 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: question });
  const lines = [
    ...["POST /api/mcp HTTP/1.1", "Host: gate.example", "Content-Type: application/json"],
    ...["Accept: application/json, text/event-stream", `Content-Length: ${body.length}`, "Connection: close"],
  ];
  const found = await sendRaw({ port: server.port, bytes: `${lines.join("\r\n")}\r\n\r\n${body}` });
  expect(found.body).toContain("gate-your-own-contract.md");
});

test("nothing that the assembled server lacks is told of in its log", () => {
  const said = server.output().split("\n");
  const troubles = said.filter((line) => /Cannot find|ENOENT|MODULE_NOT_FOUND|"level":[56]0/.test(line));
  expect(troubles).toEqual([]);
  expect(said.some((line) => line.includes("Latchkey is open"))).toBe(true);
});

test("the health check of the image is good while the server is ready, and bad when nobody answers", async () => {
  const image = (await readStages()).at(-1);
  const check = image!.find(({ name }) => name === "HEALTHCHECK")!;
  const [program, ...parameters] = JSON.parse(check.text.slice(check.text.indexOf("["))) as string[];
  const ask = (port: number) => run(program!, parameters, { env: { ...process.env, PORT: String(port) } });
  await ask(server.port);
  await expect(ask(9)).rejects.toMatchObject({ code: 1 });
});

test("base, Node and the assembled folder stay below 300 MB together", async () => {
  const image = (await readStages()).at(-1);
  expect(image![0]!.text).toBe("debian:bookworm-20260918-slim");
  const nodeMb = (await stat(process.execPath)).size / bytesPerMb;
  const ownMb = (await sumBytes(imageDir)) / bytesPerMb;
  const sum = debianMb + nodeMb + ownMb;
  console.log(
    `Debian ${debianMb} + Node ${nodeMb.toFixed(1)} + Latchkey ${ownMb.toFixed(1)} = ${sum.toFixed(1)} MB`,
  );
  expect(ownMb).toBeGreaterThan(20);
  expect(sum).toBeLessThan(largestImageMb);
});

test("no command line of Prisma, compiler, test or secret gets into the image", async () => {
  for (const name of ["prisma", "@prisma/engines", "typescript", "vitest", "esbuild", "@foundry-rs"]) {
    expect(existsSync(path.join(imageDir, "node_modules", name)), name).toBe(false);
  }
  expect((await readdir(imageDir)).sort()).toEqual([
    ...["LICENSE", "THIRD-PARTY-NOTICES.md", "app", "build", "content", "docs"],
    ...["node_modules", "package.json", "prisma", "public"],
  ]);
  const files = await readdir(imageDir, { recursive: true });
  expect(files.filter((file) => /(^|\/)\.env/.test(file) && !file.startsWith("node_modules"))).toEqual([]);
});
