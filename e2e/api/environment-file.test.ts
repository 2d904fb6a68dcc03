import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, testJwtSecret } from "~e2e/support/running-server";

/** Has the minimum `npm start` needs and its own environment file. */
let projectDir: string;
const settings = {
  CHAIN_ID: "31337",
  RPC_URL: "http://127.0.0.1:9",
  KEY_CONTRACT_ADDRESS: `0x${"12".repeat(20)}`,
  JWT_SECRET: testJwtSecret,
};

beforeAll(async () => {
  projectDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-env-"));
  for (const name of ["build", "node_modules", "prisma", "public"]) {
    await symlink(path.resolve(name), path.join(projectDir, name));
  }
  for (const folder of ["app/commands", "app/platform/log"])
    await mkdir(path.join(projectDir, folder), { recursive: true });
  for (const name of [
    "commands/start",
    "commands/prepare",
    "commands/supervise",
    "platform/log/open-output",
    "platform/log/text-line",
  ]) {
    await cp(`app/${name}.mjs`, path.join(projectDir, `app/${name}.mjs`));
  }
  await cp("app/platform/config", path.join(projectDir, "app/platform/config"), { recursive: true });
});
afterAll(() => rm(projectDir, { recursive: true, force: true }));

async function writeEnvironment(values: Record<string, string>): Promise<void> {
  const lines = Object.entries({ ...settings, ...values }).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(path.join(projectDir, ".env"), lines.join(""));
}

function runStart(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["app/commands/start.mjs"], {
      cwd: projectDir,
      env: { PATH: process.env.PATH, PORT: "0", ...env } as unknown as NodeJS.ProcessEnv,
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => resolve({ code, output }));
  });
}

test.each(["1", "2"])(
  "with WORKERS=%s, a slip in a name of .env stops the start, named once",
  async (WORKERS) => {
    await writeEnvironment({ SEARCH_GATED_NAMESPACE: "hunter2" });
    const { code, output } = await runStart({ WORKERS });
    expect(code).toBe(78);
    const told = "SEARCH_GATED_NAMESPACE is not a setting of Latchkey. Did you mean SEARCH_GATED_NAMESPACES?";
    expect(output.split(told)).toHaveLength(2);
    expect(output).not.toContain("hunter2");
  },
);

test("any other unknown name of .env is told in the log, though the environment has it too", async () => {
  await writeEnvironment({ WELCOME_TEXT: "hunter2", TZ: "UTC" });
  const env = { DATABASE_URL: undefined, WELCOME_TEXT: "other", SOMETHING_ELSE: "x" };
  const server = await startServer({ projectDir, env });
  const told = server.output().match(/"problem":"[^"]+"/g);
  expect(await server.stop()).toBe(0);
  expect(told).toContain('"problem":"WELCOME_TEXT is not a setting of Latchkey."');
  expect(told?.filter((line) => line.includes("is not a setting"))).toHaveLength(1);
});
