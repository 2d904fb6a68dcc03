import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { testOnSqlite } from "~e2e/support/databases/database";
import { findOnPath } from "~e2e/support/debian-packages";
import { findFreePort } from "~e2e/support/free-port";
import { waitUntil } from "~e2e/support/processes";
import { startServer, testJwtSecret } from "~e2e/support/running-server";
import { openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { isUsed, readPlainBlocks, readShellBlocks, readyStatus, useKey } from "./operations-fixture";

const run = promisify(execFile);

const hasGit = findOnPath("git") !== null;
if (!hasGit) console.warn("\nSKIPPED: the upgrade from the project's folder. There is no git here.\n");

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

/** The block of docs/upgrading.md that contains `words`. */
async function findBlock(words: string): Promise<string> {
  const found = (await readPlainBlocks("docs/upgrading.md")).filter((block) => block.includes(words));
  expect(found).toHaveLength(1);
  return found[0]!;
}

async function makeFolder(): Promise<string> {
  const root = await mkdtemp(path.join(os.tmpdir(), "latchkey-upgrade-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(path.join(root, "bin"));
  return root;
}

async function writeProgram(root: string, name: string, text: string) {
  const file = path.join(root, "bin", name);
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
}

/** The parts of a clone that building and starting need. */
const projectPaths = [
  ...["app", "contracts", "prisma", "public", "server.ts", "remix.config.js", "tsconfig.json"],
  ...["package.json", "package-lock.json", ".npmrc", ".gitignore"],
];

/** The project in its own repository, and a clone that is built and running. */
async function makeClone(root: string) {
  const [upstream, clone] = [path.join(root, "upstream"), path.join(root, "latchkey")];
  const isMade = (file: string) => ["app/generated", "public/build", "prisma/.generated"].includes(file);
  for (const site of projectPaths) {
    const filter = (file: string) => !isMade(path.normalize(file));
    await cp(site, path.join(upstream, site), { recursive: true, filter });
  }
  const git = (...parameters: string[]) =>
    run("git", ["-c", "user.name=Test", "-c", "user.email=test@gate.example", ...parameters], {
      cwd: upstream,
    });
  const commit = async (message: string) => {
    await git("add", "-A");
    await git("commit", "-q", "-m", message);
  };
  await git("init", "-q");
  await commit("The former version");
  await run("git", ["clone", "-q", upstream, clone]);
  for (const site of ["build", "public/build", "app/generated"]) {
    await cp(site, path.join(clone, site), { recursive: true });
  }
  await symlink(path.resolve("node_modules"), path.join(clone, "node_modules"));
  return { upstream, clone, commit };
}

/** Runs a block that ends with a foreground server, in its own shell. */
function runToServer(block: string, cwd: string, env: Record<string, unknown>) {
  const shell = spawn("bash", ["-c", block], { cwd, env: env as NodeJS.ProcessEnv });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  const ended = once(shell, "close");
  const findPid = () => /"pid":(\d+).*"server ready"/.exec(output)?.[1];
  return {
    read: () => output,
    untilOpen: () =>
      waitUntil(
        () => {
          if (shell.exitCode !== null) throw new Error(`The block ended.\n${output}`);
          return findPid() !== undefined;
        },
        { timeoutMs: 200_000 },
      ),
    stop: async () => {
      const pid = findPid();
      if (pid !== undefined && shell.exitCode === null) process.kill(Number(pid), "SIGTERM");
      else shell.kill("SIGTERM");
      await ended;
    },
  };
}

(hasGit ? testOnSqlite : test.skip)(
  "the blocks of docs/upgrading.md build the next version while the former one runs, and then exchange them",
  async () => {
    const root = await makeFolder();
    const { upstream, clone, commit } = await makeClone(root);
    const holder = await gate.mintKey();
    const [port, dataDir] = [await findFreePort(), path.join(clone, "data")];
    const settings = {
      CHAIN_ID: "31337",
      RPC_URL: gate.chain.rpcUrl,
      KEY_CONTRACT_ADDRESS: gate.contract,
      JWT_SECRET: testJwtSecret,
      PORT: String(port),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(path.join(clone, ".env"), lines.join(""));
    await mkdir(dataDir, { mode: 0o700 });
    const former = await startServer({ projectDir: clone, dataDir, env: settings });
    onTestFinished(() => former.kill());
    expect(await useKey(former, { ...holder, message: "under the former version" })).toBe(200);
    expect(former.output()).not.toContain("the next version");

    await appendFile(path.join(upstream, "server.ts"), `\nconsole.log("the next version");\n`);
    const later = path.join(upstream, "prisma/migrations/sqlite/9999_later");
    await mkdir(later);
    await writeFile(path.join(later, "migration.sql"), `CREATE TABLE "Later" ("id" TEXT PRIMARY KEY);`);
    await commit("The next version");

    // The packaging test covers the installation. Here `npm ci` links the existing packages.
    const npm = findOnPath("npm");
    const text = `[ "$1" != ci ] || exec ln -s "${path.resolve("node_modules")}" node_modules\nexec "${npm}" "$@"`;
    await writeProgram(root, "npm", text);
    const searched = { PATH: `${root}/bin:${process.env.PATH}`, HOME: process.env.HOME };
    const env = searched as unknown as NodeJS.ProcessEnv;
    const build = await run("bash", ["-c", await findBlock("git clone")], { cwd: root, env });
    expect(build.stdout).toContain("Built.");
    expect(await isUsed(former, holder)).toBe(true);
    const stoppedAtMs = performance.now();
    await former.stop();
    const server = runToServer(await findBlock("npm start"), root, env);
    try {
      await server.untilOpen();
      console.log(`There was no server for ${Math.round(performance.now() - stoppedAtMs)} ms.`);
      expect(server.read()).toContain("the next version");
      const origin = `http://localhost:${port}`;
      expect(await readyStatus({ origin })).toBe(200);
      expect(await isUsed({ origin }, holder)).toBe(true);
      const [listMigrations] = await readShellBlocks("docs/upgrading.md");
      expect((await run("sh", ["-c", listMigrations!], { cwd: clone })).stdout).toContain("9999_later");
    } finally {
      await server.stop();
    }
  },
  300_000,
);

test("each step of docs/upgrading.md with containers runs only after the one before succeeded", async () => {
  const block = await findBlock("docker compose ps");
  const steps = ["git pull", "docker compose pull latchkey", "docker compose up -d", "docker compose ps"];
  const root = await makeFolder();
  const told = path.join(root, "told");
  for (const name of ["git", "docker"]) {
    const text = `echo "${name} $*" >> "${told}"\n[ "${name} $*" != "$FAILING" ]`;
    await writeProgram(root, name, text);
  }
  for (const [index, failing] of [...steps, "nothing"].entries()) {
    await writeFile(told, "");
    const env = { ...process.env, PATH: `${root}/bin:${process.env.PATH}`, FAILING: failing };
    const ended = run("bash", ["-c", block], { cwd: root, env }).then(
      () => "well",
      () => "failed",
    );
    expect(await ended).toBe(failing === "nothing" ? "well" : "failed");
    expect((await readFile(told, "utf8")).trimEnd().split("\n")).toEqual(steps.slice(0, index + 1));
  }
});

/** A clone from when `content/` was in the repository. The next version has removed it. */
async function makeOlderClone() {
  const root = await makeFolder();
  const [upstream, clone] = [path.join(root, "upstream"), path.join(root, "clone")];
  const files = ["welcome.md", "styles.css", "knowledge/a.md", "knowledge/b.md", "images/lamp.svg"];
  const as = ["-c", "user.name=Test", "-c", "user.email=test@gate.example"];
  const git = async (cwd: string, ...parameters: string[]) =>
    (await run("git", [...as, ...parameters], { cwd })).stdout;
  for (const file of files) {
    await mkdir(path.dirname(path.join(upstream, "content", file)), { recursive: true });
    await writeFile(path.join(upstream, "content", file), `The demonstration's ${file}\n`.repeat(9));
  }
  await git(upstream, "init", "-q");
  await git(upstream, "add", "-A");
  await git(upstream, "commit", "-qm", "The former version");
  await git(root, "clone", "-q", upstream, clone);
  await git(clone, "config", "user.name", "Operator");
  await git(clone, "config", "user.email", "operator@gate.example");
  await mkdir(path.join(upstream, "app/demo"), { recursive: true });
  await git(upstream, "mv", "content", "app/demo/content");
  await git(upstream, "commit", "-qm", "The demonstration moves");
  await writeFile(path.join(upstream, ".gitignore"), "/content\n");
  await git(upstream, "add", "-A");
  await git(upstream, "commit", "-qm", "The next version");
  return { upstream, clone, git };
}

async function readTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return Object.fromEntries(files.map((file, index) => [path.relative(folder, file), texts[index]!]));
}

test.skipIf(!hasGit).each([
  ["as they are", "git checkout -q -- content", false],
  ["committed", "git rm -rqf content", true],
])(
  "the operator's content, %s, is the same after the block of docs/upgrading.md",
  async (_how, words, isCommitted) => {
    const { upstream, clone, git } = await makeOlderClone();
    const content = path.join(clone, "content");
    await writeFile(path.join(content, "welcome.md"), "# Mine");
    await rm(path.join(content, "knowledge/a.md"));
    await mkdir(path.join(content, "tokens/2"), { recursive: true });
    await writeFile(path.join(content, "tokens/2/welcome.md"), "# For the second");
    await writeFile(path.join(content, "knowledge/mine.md"), "My page");
    if (isCommitted) {
      await git(clone, "add", "-A");
      await git(clone, "commit", "-qm", "Our content");
    } else await git(clone, "add", "content/knowledge");
    await appendFile(path.join(content, "styles.css"), ".latchkey-room {}");
    const before = await readTree(content);

    await run("bash", ["-c", await findBlock(words)], { cwd: clone });
    expect(await readTree(content)).toEqual(before);
    expect(await git(clone, "status", "--porcelain")).toBe("");
    expect(await readTree(path.join(clone, "app/demo/content"))).toEqual(
      await readTree(path.join(upstream, "app/demo/content")),
    );

    await writeFile(path.join(upstream, "app/demo/content/welcome.md"), "# Another demonstration");
    await git(upstream, "commit", "-qam", "Still later");
    await git(clone, "pull", "-q", "--no-rebase", "--no-edit");
    expect(await readTree(content)).toEqual(before);
  },
);

test.skipIf(!hasGit)("git ignores what an operator keeps in the folder of the project", async () => {
  const kept = ["content/welcome.md", "content/tokens/2/a.mp3", ".env", "data/latchkey.db"];
  const copies = ["backup.db", "backup.db.part", "backup.db-wal", "latchkey-20261122-063000.dump"];
  const files = [...kept, ...copies, "latchkey-20261122-063000.dump.enc"];
  const { stdout } = await run("git", ["check-ignore", "--no-index", ...files]);
  expect(stdout.trim().split("\n")).toEqual(files);
});
