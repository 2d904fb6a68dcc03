import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "~e2e/support/processes";

const run = promisify(execFile);
const environment = (more: Record<string, string> = {}) =>
  ({ PATH: process.env.PATH, HOME: process.env.HOME, ...more }) as unknown as NodeJS.ProcessEnv;

let root: string;
let packageDir: string;
let latchkey: string;

/** As npx does: the package with its dependencies, away from the working folder. */
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "latchkey-npm-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", root], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [{ filename: string }];
  const installed = path.join(root, "installed");
  await mkdir(installed);
  const parameters = ["install", "--prefer-offline", "--no-audit", "--no-fund", path.join(root, filename)];
  await run("npm", parameters, { cwd: installed, env: environment() });
  packageDir = path.join(installed, "node_modules/latchkey");
  latchkey = path.join(installed, "node_modules/.bin/latchkey");
}, 600_000);
afterAll(() => rm(root, { recursive: true, force: true }));

async function makeEmptyFolder(): Promise<string> {
  return await mkdtemp(path.join(root, "empty-"));
}

async function call(cwd: string, parameters: string[], env: Record<string, string> = {}) {
  const options = { cwd, env: environment(env) };
  return await run(latchkey, parameters, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
}

test("the package has the build and no sources, tests or settings", async () => {
  const files = (await readdir(packageDir, { recursive: true })).filter(
    (file) => !file.startsWith("node_modules"),
  );
  for (const file of [
    "build/index.js",
    "build/commands/client.js",
    "public/build",
    ".env.example",
    "SECURITY.md",
  ])
    expect(files).toContain(file);
  expect(files.filter((file) => /\.tsx?$|\.test\.|(^|\/)\.env$|^e2e|\.map$/.test(file))).toEqual([]);
});

test("the demo runs in an empty folder and keeps its data there; a key is minted and the database is copied", async () => {
  const folder = await makeEmptyFolder();
  const before = await readdir(packageDir, { recursive: true });
  const demo = spawn(latchkey, ["demo"], { cwd: folder, env: environment({ PORT: "0" }) });
  onTestFinished(() => void demo.kill("SIGKILL"));
  let output = "";
  for (const stream of [demo.stdout, demo.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await waitUntil(() => output.includes("Latchkey is ready at") || demo.exitCode !== null, {
    timeoutMs: 60_000,
  });
  const [, origin] = /ready at\s+(http:\S+)/.exec(output) ?? [];
  expect(origin, output).toBeDefined();
  for (const page of ["/", "/gate", "/docs"]) expect((await fetch(origin! + page)).status, page).toBe(200);

  const minted = await call(folder, ["client", "mint", "--origin", origin!]);
  expect(JSON.parse(minted.stdout), minted.stderr).toMatchObject({ tokenId: expect.stringMatching(/^\d+$/) });
  const copied = await call(folder, ["backup", "copies"], { DATA_DIR: "data/demo" });
  expect(copied, copied.stderr).toMatchObject({ code: 1, stderr: expect.stringContaining("copies") });
  await mkdir(path.join(folder, "copies"));
  const { stdout } = await call(folder, ["backup", "copies"], { DATA_DIR: "data/demo" });
  expect(stdout).toMatch(/^copies\/latchkey-\d{8}-\d{6}\.db\n$/);
  expect((await stat(path.join(folder, stdout.trim()))).mode & 0o777).toBe(0o600);

  const [, contract, rpcUrl] = /Key contract\s+(0x\w+).*(http:\S+)\)/.exec(output)!;
  await expectStart({ CHAIN_ID: "31337", KEY_CONTRACT_ADDRESS: contract!, RPC_URL: rpcUrl! });

  demo.kill("SIGTERM");
  if (demo.exitCode === null) await once(demo, "exit");
  expect(demo.exitCode).toBe(0);
  expect((await readdir(folder)).sort()).toEqual(["copies", "data"]);
  expect(await readdir(path.join(folder, "data/demo"))).toContain("latchkey.db");
  expect(await readdir(packageDir, { recursive: true })).toEqual(before);
}, 120_000);

/** Production in an empty folder, which then has the data. */
async function expectStart(settings: Record<string, string>): Promise<void> {
  const folder = await makeEmptyFolder();
  const env = environment({ ...settings, JWT_SECRET: randomBytes(32).toString("hex"), PORT: "0" });
  const server = spawn(latchkey, ["start"], { cwd: folder, env });
  onTestFinished(() => void server.kill("SIGKILL"));
  let output = "";
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await waitUntil(() => output.includes('"server ready"') || server.exitCode !== null, { timeoutMs: 30_000 });
  const [, port] = /"port":(\d+)/.exec(output) ?? [];
  expect(port, output).toBeDefined();
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  server.kill("SIGTERM");
  if (server.exitCode === null) await once(server, "exit");
  expect([server.exitCode, await readdir(folder)]).toEqual([0, ["data"]]);
  expect(await readdir(path.join(folder, "data"))).toContain("latchkey.db");
}

test("start refuses an empty folder with all that is missing, and leaves it empty", async () => {
  const folder = await makeEmptyFolder();
  const { code, stderr } = await call(folder, ["start"], { PORT: "0" });
  expect(code).toBe(78);
  for (const name of ["CHAIN_ID", "RPC_URL", "KEY_CONTRACT_ADDRESS", "JWT_SECRET"])
    expect(stderr).toContain(name);
  expect(stderr).toContain(path.join("node_modules/latchkey/docs/settings.md"));
  const asDemo = await call(folder, ["start"], { LATCHKEY_MODE: "demo" });
  expect([asDemo.code, asDemo.stderr]).toEqual([78, expect.stringContaining("latchkey demo")]);
  expect(await readdir(folder)).toEqual([]);
});

test.each(["client", "index", "quota", "migrate-data", "backup"])(
  "latchkey %s explains itself",
  async (name) => {
    const { code, stdout, stderr } = await call(await makeEmptyFolder(), [name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Usage: latchkey ${name}`);
  },
);
