import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { testOnSqlite } from "~/testing/database";
import { findFreePort } from "~/testing/free-port";
import { startServer } from "~/testing/running-server";
import type { RunningServer } from "~/testing/running-server";
import { openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import { isUsed, readPlainBlocks, readShellBlocks, useKey } from "./operations-fixture";

const run = promisify(execFile);

let gate: Gate;
let root: string;
let port: number;
let running: RunningServer | undefined;
beforeAll(async () => {
  gate = await openGate();
  root = await mkdtemp(path.join(os.tmpdir(), "latchkey-systemd-"));
  port = await findFreePort();
  await mkdir(path.join(root, "opt"));
  await mkdir(path.join(root, "var/lib/latchkey"), { recursive: true, mode: 0o700 });
  await run(process.execPath, ["app/commands/assemble.mjs", path.join(root, "assembled")]);
}, 120_000);
afterAll(async () => {
  await running?.stop();
  await gate.close();
  await rm(root, { recursive: true, force: true });
});

/** The machine's places in a folder of the test, where `data/` is what the unit says. */
function toPlaces(script: string): string {
  return script
    .replaceAll("/opt/latchkey", `${root}/opt/latchkey`)
    .replaceAll("/var/lib/latchkey", `${root}/var/lib/latchkey`)
    .replaceAll(/(?<= )data\//g, `${root}/var/lib/latchkey/`)
    .replaceAll(/(?<= )backup\.db/g, `${root}/backup.db`)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`);
}

async function runShell(script: string, cwd = root): Promise<string> {
  return (await run("bash", ["-euo", "pipefail", "-c", toPlaces(script)], { cwd })).stdout;
}

/** What the unit starts, where it starts it; deploy-files.test.ts holds the two together. */
async function startUnit(): Promise<void> {
  const env = { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, CHAIN_POLL_SECONDS: "1" };
  running = await startServer({
    projectDir: path.join(root, "opt/latchkey"),
    dataDir: path.join(root, "var/lib/latchkey"),
    env: { ...env, PORT: String(port) },
  });
}

async function stopUnit(): Promise<void> {
  await running?.stop();
  running = undefined;
}

/** Line by line, as somebody types it; what is for systemd is done in its place. */
async function runAsRoot(block: string): Promise<void> {
  let starting: Promise<void> | undefined;
  for (const line of block.trimEnd().split("\n")) {
    if (/^systemctl stop latchkey( \|\| true)?$/.test(line)) await stopUnit();
    else if (/^systemctl (enable --now|start) latchkey$/.test(line)) starting = startUnit();
    else await runShell(line);
  }
  await starting;
}

testOnSqlite(
  "the first version, the next one, and the way back, by the commands of the pages",
  async () => {
    const deploying = await readPlainBlocks("docs/deploying.md");
    const exchange = deploying.find((block) => block.includes("cp -r assembled"))!;
    const goBack = (await readPlainBlocks("docs/upgrading.md")).find((block) =>
      block.includes("latchkey.old"),
    )!;
    const [copy, check, restore] = await readShellBlocks("docs/backup.md", "SQLite");
    const [listMigrations] = await readShellBlocks("docs/upgrading.md");
    const opt = path.join(root, "opt/latchkey");
    const later = "prisma/migrations/sqlite/9999_later";
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];

    await runAsRoot(exchange);
    expect(await useKey(running!, { ...early, message: "under the first version" })).toBe(200);
    for (const page of ["backup.md", "deploying.md", "upgrading.md", "empty-database.sql"]) {
      expect(existsSync(path.join(opt, "docs", page)), page).toBe(true);
    }
    await runShell(copy!, opt);
    expect(await runShell(check!, opt)).toContain("integrity_check: 'ok'");

    await mkdir(path.join(root, "assembled", later), { recursive: true });
    await writeFile(
      path.join(root, "assembled", later, "migration.sql"),
      `CREATE TABLE "Later" ("id" TEXT PRIMARY KEY);`,
    );
    await runAsRoot(exchange);
    expect(await runShell(listMigrations!, opt)).toContain("9999_later");
    expect(await isUsed(running!, early)).toBe(true);
    expect(await useKey(running!, { ...late, message: "under the next version" })).toBe(200);
    expect(existsSync(path.join(`${opt}.old`, later))).toBe(false);

    await runAsRoot(goBack);
    await expect(startUnit()).rejects.toThrow(/The database is newer than this build.*9999_later/);
    const [, install] = /`(install -o latchkey [^`]+)`/.exec(await readFile("docs/backup.md", "utf8"))!;
    const { stdout } = await run("sh", ["-c", `printf "%s %s" "$(id -un)" "$(id -gn)"`]);
    const [user, group] = stdout.split(" ");
    const ours = install!.replace("-o latchkey -g latchkey", `-o ${user} -g ${group}`);
    expect(restore).toMatch(/^cp .*$/m);
    await runShell(restore!.replace(/^cp .*$/m, ours), opt);
    await startUnit();
    expect([await isUsed(running!, early), await isUsed(running!, late)]).toEqual([true, false]);
    await expect(runShell(listMigrations!, opt)).resolves.not.toContain("9999_later");

    // And the next one once more, with nothing in its way.
    await runAsRoot(exchange);
    expect(await runShell(listMigrations!, opt)).toContain("9999_later");
  },
  120_000,
);
