import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest";
import { testOnSqlite } from "~/testing/database";
import { startServer } from "~/testing/running-server";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";

const run = promisify(execFile);

let gate: Gate;
let projectDir: string;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());
/** Stands for the project's folder: the commands find `data/` and the packages in it. */
beforeEach(async () => {
  projectDir = await mkdtemp(path.join(os.tmpdir(), "latchkey-operations-"));
  await mkdir(path.join(projectDir, "data"), { mode: 0o700 });
  await symlink(path.resolve("node_modules"), path.join(projectDir, "node_modules"));
});
afterEach(() => rm(projectDir, { recursive: true }));

async function readShellBlocks(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
}

async function runShell(script: string): Promise<string> {
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd: projectDir });
  return stdout;
}

function start(env: Record<string, string | undefined> = {}) {
  return startServer({
    dataDir: path.join(projectDir, "data"),
    env: { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, ...env },
  });
}

testOnSqlite(
  "a copy made while the server runs, by the command of docs/backup.md, brings back what was used then",
  async () => {
    const [copy, check, restore] = await readShellBlocks("docs/backup.md");
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];
    const first = await start();
    const isUsed = async (server: { origin: string }, { tokenId }: { tokenId: string }) =>
      (await clientOf(server).ask({ path: `/api/token-status/${tokenId}` })).body.used;
    async function use(holder: typeof early): Promise<void> {
      const client = clientOf(first);
      const form = await client.formBody({ ...holder, message: "for the back-up" });
      expect((await client.post("/api/form-submission-gate", form)).status).toBe(200);
    }
    try {
      await use(early);
      await runShell(copy!);
      await expect(runShell(copy!)).rejects.toThrow(/already exists/);
      await use(late);
      expect([await isUsed(first, early), await isUsed(first, late)]).toEqual([true, true]);
    } finally {
      await first.stop();
    }
    expect(await runShell(check!)).toContain("integrity_check: 'ok'");
    await writeFile(path.join(projectDir, "data/latchkey.db"), "not a database any more");
    await runShell(restore!);
    const second = await start();
    try {
      expect([await isUsed(second, early), await isUsed(second, late)]).toEqual([true, false]);
    } finally {
      await second.stop();
    }
  },
  90_000,
);

test("with the keys made as docs/changing-keys.md says, tokens live through the change and end after it", async () => {
  const makeKeys = (await readShellBlocks("docs/changing-keys.md")).find((block) =>
    block.includes("openssl"),
  )!;
  const makeFirst = makeKeys.split("\n")[0]!.replace("jwt-2.pem", "jwt-1.pem");
  await runShell(makeFirst);
  const former = await runShell(makeKeys);
  const readKey = (name: string) => readFile(path.join(projectDir, name), "utf8");
  const stages = [
    { JWT_SECRET: undefined, JWT_PRIVATE_KEY: await readKey("jwt-1.pem") },
    { JWT_SECRET: undefined, JWT_PRIVATE_KEY: await readKey("jwt-2.pem"), JWT_PREVIOUS_KEYS: former },
    { JWT_SECRET: undefined, JWT_PRIVATE_KEY: await readKey("jwt-2.pem") },
  ];
  const holder = await gate.mintKey();
  let token = "";
  let port = "0";
  const statuses: number[] = [];
  for (const keys of stages) {
    // Under one address, as a restarted server is.
    const server = await start({ ...keys, PORT: port });
    port = String(server.port);
    try {
      const client = clientOf(server);
      if (token === "") token = String((await client.signIn(holder)).body.accessToken);
      const headers = { Authorization: `Bearer ${token}` };
      statuses.push((await client.post("/api/gate-access", { tokenId: holder.tokenId }, headers)).status);
    } finally {
      await server.stop();
    }
  }
  expect(token).toMatch(/^ey/);
  expect(statuses).toEqual([200, 200, 401]);
}, 90_000);
