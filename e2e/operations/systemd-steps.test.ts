import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { testOnSqlite } from "~e2e/support/databases/database";
import { findFreePort } from "~e2e/support/free-port";
import { startServer } from "~e2e/support/running-server";
import type { RunningServer } from "~e2e/support/running-server";
import { openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { isUsed, readPlainBlocks, readShellBlocks, useKey } from "./operations-fixture";
import { startStandIns } from "./systemd-fixture";

const run = promisify(execFile);

let gate: Gate;
let root: string;
let port: number;
let running: RunningServer | undefined;
let standIns: Awaited<ReturnType<typeof startStandIns>>;
beforeAll(async () => {
  gate = await openGate();
  root = await mkdtemp(path.join(os.tmpdir(), "latchkey-systemd-"));
  port = await findFreePort();
  await mkdir(path.join(root, "opt"));
  await mkdir(path.join(root, "var/lib/latchkey"), { recursive: true, mode: 0o700 });
  await symlink(path.resolve("app"), path.join(root, "app"));
  standIns = await startStandIns({ binDir: path.join(root, "bin"), obey });
}, 120_000);
afterAll(async () => {
  await running?.stop();
  standIns.close();
  await gate.close();
  await rm(root, { recursive: true, force: true });
});

/** Maps the machine's paths to the test's folder, with `data/` where the unit says. */
function toTestPaths(script: string): string {
  return script
    .replaceAll("/opt/latchkey", `${root}/opt/latchkey`)
    .replaceAll("/var/lib/latchkey", `${root}/var/lib/latchkey`)
    .replaceAll(/(?<=[ "])data(?=[/ ])/g, `${root}/var/lib/latchkey`)
    .replaceAll(/(?<= )backup\.db/g, `${root}/backup.db`)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`);
}

async function runShell(script: string, cwd = root): Promise<string> {
  const env = { ...process.env, PATH: `${path.join(root, "bin")}:${process.env.PATH}` };
  return (await run("bash", ["-c", toTestPaths(script)], { cwd, env })).stdout;
}

/** Starts the server as the unit does. deploy-files.test.ts compares the two. */
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

let starting: Promise<unknown> | undefined;

/** Plays systemd for the orders in the docs. */
async function obey(order: string): Promise<void> {
  switch (order) {
    case "stop latchkey":
      return await stopUnit();
    case "start latchkey":
      return void (starting = startUnit());
    case "enable --now latchkey":
      return void (running ?? (starting = startUnit()));
    default:
      throw new Error(`What is ${order}?`);
  }
}

async function runAsRoot(block: string): Promise<void> {
  await runShell(block);
  await starting;
}

testOnSqlite(
  "the first version, an upgrade and the way back work with the commands of the pages",
  async () => {
    const deploying = await readPlainBlocks("docs/deploying.md");
    const [assemble] = await readShellBlocks("docs/deploying.md");
    const exchange = deploying.find((block) => block.includes("cp -r assembled"))!;
    const goBack = (await readPlainBlocks("docs/upgrading.md")).find((block) =>
      block.includes("/opt/latchkey.old"),
    )!;
    const [copy, check, restore] = await readShellBlocks("docs/backup.md", "SQLite");
    const [listMigrations] = await readShellBlocks("docs/upgrading.md");
    const opt = path.join(root, "opt/latchkey");
    const later = "prisma/migrations/sqlite/9999_later";
    const inAssembled = (name: string) => path.join(root, "assembled", name);
    async function changeAssembled(): Promise<void> {
      await mkdir(inAssembled(later), { recursive: true });
      await writeFile(inAssembled(`${later}/migration.sql`), `CREATE TABLE "Later" ("id" TEXT PRIMARY KEY);`);
    }
    const isLater = (folder: string) => existsSync(path.join(folder, later));
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];

    // A build has its own folder, without leftovers of an earlier one.
    await changeAssembled();
    await runShell(assemble!);
    expect(isLater(path.join(root, "assembled"))).toBe(false);

    // As in a shell that has just made a copy.
    await runAsRoot(`umask 077\n${exchange}`);
    expect((await stat(path.join(opt, "build/index.js"))).mode & 0o777).toBe(0o644);
    expect((await stat(opt)).mode & 0o777).toBe(0o755);
    expect(await useKey(running!, { ...early, message: "under the first version" })).toBe(200);
    const pages = ["backup.md", "deploying.md", "upgrading.md"];
    for (const page of [
      ...pages,
      "empty-database.sql",
      "postgresql.sh",
      "postgresql-address.mjs",
      "sqlite-stopped.mjs",
    ]) {
      expect(existsSync(path.join(opt, "docs", page)), page).toBe(true);
    }
    await runShell(copy!, opt);
    expect(await runShell(check!, opt)).toContain("integrity_check: 'ok'");

    await changeAssembled();
    // If something is in the way, the running version isn't even stopped.
    const pidBefore = running!.pid;
    await expect(runAsRoot(`cp() { command cp "$@"; return 1; }\n${exchange}`)).rejects.toThrow();
    expect([running!.pid, isLater(opt), existsSync(`${opt}.old`)]).toEqual([pidBefore, false, false]);
    await runAsRoot(exchange);
    expect(await runShell(listMigrations!, opt)).toContain("9999_later");
    expect(await isUsed(running!, early)).toBe(true);
    expect(await useKey(running!, { ...late, message: "under the next version" })).toBe(200);
    expect(isLater(`${opt}.old`)).toBe(false);
    // A second run by mistake leaves the previous version in place.
    await runAsRoot(exchange);
    expect([isLater(opt), isLater(`${opt}.old`)]).toEqual([true, false]);
    // Without a new build, nothing is replaced.
    await rename(path.join(root, "assembled"), path.join(root, "away"));
    await expect(runAsRoot(exchange)).rejects.toThrow();
    expect([isLater(opt), isLater(`${opt}.old`)]).toEqual([true, false]);
    await rename(path.join(root, "away"), path.join(root, "assembled"));

    await runAsRoot(goBack);
    await expect(startUnit()).rejects.toThrow(/The database is newer than this build.*9999_later/);
    const [, install] = /`(install -o latchkey [^`]+)`/.exec(await readFile("docs/backup.md", "utf8"))!;
    const { stdout } = await run("sh", ["-c", `printf "%s %s" "$(id -un)" "$(id -gn)"`]);
    const [user, group] = stdout.split(" ");
    const ours = install!.replace("-o latchkey -g latchkey", `-o ${user} -g ${group}`);
    expect(restore).toMatch(/^ *install -m .*$/m);
    await runShell(
      restore!.replace(/^ *install -m .*$/m, () => ours),
      opt,
    );
    await startUnit();
    expect([await isUsed(running!, early), await isUsed(running!, late)]).toEqual([true, false]);
    await expect(runShell(listMigrations!, opt)).resolves.not.toContain("9999_later");

    // The next one works again without obstacles.
    await runAsRoot(exchange);
    expect(await runShell(listMigrations!, opt)).toContain("9999_later");
  },
  240_000,
);
