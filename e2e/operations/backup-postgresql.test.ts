import { chmod, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { migrationsDir } from "~e2e/support/databases/database";
import {
  hasPostgresqlTools,
  query,
  startPostgresqlWithTools,
} from "~e2e/support/databases/postgresql-with-tools";
import type { PostgresqlWithTools } from "~e2e/support/databases/postgresql-with-tools";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { waitUntil } from "~e2e/support/processes";
import {
  createSite,
  expectRefusalWhileServed,
  isUsed,
  nameCopy,
  readPlainBlocks,
  readShellBlocks,
  readyStatus,
  useKey,
} from "./operations-fixture";
import type { Site } from "./operations-fixture";

const resetSecret = "operator-secret-of-the-tests";

// A run without the tools says so when it begins.
describe.skipIf(!hasPostgresqlTools)("docs/backup.md on PostgreSQL, with its own tools", () => {
  let gate: Gate;
  let postgresql: PostgresqlWithTools;
  let site: Site;
  let database: Awaited<ReturnType<PostgresqlWithTools["createDatabase"]>>;
  let dump: string;
  let check: string;
  let restore: string;
  let count = 0;

  beforeAll(async () => {
    [gate, postgresql] = await Promise.all([openGate(), startPostgresqlWithTools()]);
    const blocks = await readShellBlocks("docs/backup.md", "PostgreSQL");
    expect(blocks).toHaveLength(3);
    [dump, check, restore] = blocks as [string, string, string];
  });
  afterAll(async () => {
    await gate?.close();
    await postgresql?.stop();
  });
  beforeEach(async () => {
    database = await postgresql.createDatabase(`latchkey_${++count}`);
    site = await openSite(database.url);
  });
  afterEach(() => site?.remove());

  /** The shell knows the address only from `.env`. */
  async function openSite(url: string): Promise<Site> {
    const opened = await createSite(gate, { ...postgresql.toolsEnvironment });
    await writeFile(path.join(opened.dir, ".env"), `# settings\nDATABASE_URL="${url}"\nLEASE_SECONDS=3\n`);
    return opened;
  }
  function start(env: Record<string, string> = {}) {
    const own = { DATABASE_URL: database.url, AI_QUOTA_RESET_SECRET: resetSecret, LEASE_SECONDS: "3" };
    return site.start({ ...own, NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true", ...env });
  }
  const makeTables = () => migrateDatabase({ url: database.url, migrationsDir });
  /** Tables, indexes, keys and every row, as text. */
  async function readAll(): Promise<string> {
    const text = await site.runShell(`pg_dump --no-owner "${database.url}"`);
    return text.replaceAll(/^\\(?:un)?restrict .*\n/gm, "");
  }
  const inSite = (name: string) => path.join(site.dir, name);
  const listCopies = async () => (await readdir(site.dir)).filter((name) => name.includes(".dump"));
  /** The name of the copy. */
  async function makeCopy(): Promise<string> {
    return path.basename((await site.runShell(dump)).trim());
  }
  const restoreFrom = (copy: string, { env = {}, answer = "yes" } = {}) =>
    site.runShell(nameCopy(restore, copy), env, `${answer}\n`);

  test("a restore brings back exactly the copy made while the server ran", async () => {
    const redis = hasRedis ? await startRedis() : null;
    const state: Record<string, string> = redis
      ? { STATE_WORKER_URL: redis.url, STATE_WORKER_API_KEY: redis.password }
      : {};
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];
    const first = await start(state);
    const port = String(first.port);
    const client = clientOf(first);
    let [atDump, copy] = ["", ""];
    const unused = await client.siweBody(late);
    try {
      expect((await client.signIn(early)).status).toBe(200);
      expect(await useKey(first, { ...early, message: "before the copy; it's the first\n\\." })).toBe(200);
      const secret = { "x-quota-reset-secret": resetSecret };
      expect(
        (await client.post("/api/quota-reset", { scope: "token", tokenIds: [early.tokenId] }, secret)).status,
      ).toBe(200);
      copy = await makeCopy();
      atDump = await site.runShell(`pg_restore --no-owner --file=- ${copy}`);
      expect((await client.post("/api/gate-access", unused)).status).toBe(200);
      expect(await useKey(first, { ...late, message: "after the copy" })).toBe(200);
      expect([await isUsed(first, early), await isUsed(first, late)]).toEqual([true, true]);
    } finally {
      await first.stop();
    }
    expect((await stat(inSite(copy))).mode & 0o777).toBe(0o600);
    await site.runShell(nameCopy(check, copy));
    // The copy doesn't have the tables of a newer version.
    await query(database.url, `CREATE TABLE "OfALaterVersion" ("id" TEXT PRIMARY KEY)`);
    expect(await restoreFrom(copy)).toContain("Restored.");

    const restored = await readAll();
    expect(restored).toBe(atDump.replaceAll(/^\\(?:un)?restrict .*\n/gm, ""));
    expect(restored).toContain("before the copy");
    expect(restored).not.toMatch(/after the copy|OfALaterVersion/);
    expect(await query(database.url, `SELECT "kind" FROM "AuditEntry"`)).toHaveLength(1);
    expect(await listCopies()).toEqual([copy]);

    // At its old address, so the message signed earlier still fits.
    const second = await start({ ...state, PORT: port });
    try {
      expect(await readyStatus(second)).toBe(200);
      expect([await isUsed(second, early), await isUsed(second, late)]).toEqual([true, false]);
      const again = clientOf(second);
      // Redis is unchanged, so used nonces stay used.
      if (redis) expect((await again.post("/api/gate-access", unused)).status).toBe(401);
      expect((await again.signIn(late)).status).toBe(200);
      expect(await useKey(second, { ...late, message: "once more" })).toBe(200);
      expect(await useKey(second, { ...early, message: "not once more" })).toBe(403);
    } finally {
      await second.stop();
    }
  }, 120_000);

  test("a damaged copy is found by the check, and restoring it changes nothing", async () => {
    const server = await start();
    try {
      expect(await useKey(server, { ...(await gate.mintKey()), message: "kept ".repeat(400) })).toBe(200);
    } finally {
      await server.stop();
    }
    const copy = await makeCopy();
    await site.runShell(nameCopy(check, copy));
    const before = await readAll();
    const { size } = await stat(inSite(copy));
    for (const share of [0.9, 0.6]) {
      await truncate(inSite(copy), Math.floor(size * share));
      await expect(site.runShell(nameCopy(check, copy))).rejects.toThrow(/pg_restore: error/);
      await expect(restoreFrom(copy)).rejects.toThrow(/pg_restore: error/);
      expect(await readAll()).toBe(before);
    }
  }, 60_000);

  test("a restore that fails near its end changes nothing", async () => {
    await makeTables();
    const copy = await makeCopy();
    // Conflicts with an index, which is restored after all rows. It isn't a table, so it isn't removed first.
    await query(database.url, `DROP INDEX "UsedKey_usedAtMs_idx"`);
    await query(database.url, `CREATE SEQUENCE "UsedKey_usedAtMs_idx"`);
    const before = await readAll();
    await expect(restoreFrom(copy)).rejects.toThrow(
      /"UsedKey_usedAtMs_idx" already exists[^]*nothing was changed/,
    );
    expect(await readAll()).toBe(before);
    await query(database.url, `DROP SEQUENCE "UsedKey_usedAtMs_idx"`);
    await restoreFrom(copy);
    expect(await readAll()).toContain(`CREATE INDEX "UsedKey_usedAtMs_idx"`);
  }, 60_000);

  test("a restore refuses while a server works with the database, or its lease lasts after a crash", async () => {
    await makeTables();
    const copy = await makeCopy();
    await query(database.url, `CREATE TABLE "OfALaterVersion" ("id" TEXT PRIMARY KEY)`);
    const env = { DATABASE_URL: database.url };
    const lines = `echo yes | ${nameCopy(restore, copy)}`;
    await expectRefusalWhileServed(site, lines, env);
    expect(await readAll()).toContain("OfALaterVersion");
    await waitUntil(async () => (await site.runShell(lines).catch(String)).includes("Restored."), {
      timeoutMs: 10_000,
      everyMs: 500,
    });
    expect(await readAll()).not.toContain("OfALaterVersion");
  }, 60_000);

  test("a copy fills an empty database as well", async () => {
    await makeTables();
    const copy = await makeCopy();
    const before = await readAll();
    const other = await postgresql.createDatabase(`latchkey_empty_${count}`);
    await writeFile(inSite(".env"), `DATABASE_URL=${other.url}\n`);
    await restoreFrom(copy);
    database = other;
    expect(await readAll()).toBe(before);
  }, 60_000);

  /** libpq's defaults point to somebody else's database. */
  async function createBystander() {
    const bystander = await postgresql.createDatabase(`bystander_${count}`);
    await query(bystander.url, `CREATE TABLE "Bystander" ("id" TEXT)`);
    const { hostname, port, username, password } = new URL(bystander.url);
    const asDefault = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password };
    const isWhole = async () =>
      (await query(bystander.url, `SELECT 1 FROM pg_tables WHERE tablename = 'Bystander'`)).length === 1;
    return { ...bystander, isWhole, env: { ...asDefault, PGDATABASE: username, PGHOSTADDR: "127.0.0.2" } };
  }

  test("a missing address, or another one in the shell, touches no other database", async () => {
    await makeTables();
    const copy = await makeCopy();
    const before = await readAll();
    const bystander = await createBystander();
    const files = [
      "",
      "DATABASE_URL=\n",
      "DATABASE_URL=file:data/latchkey.db\n",
      "DATABASE_URL=postgresql:///\n",
    ];
    for (const text of files) {
      await writeFile(inSite(".env"), text);
      for (const line of [nameCopy(restore, copy), dump]) {
        const running = site.runShell(line, bystander.env, "yes\n");
        await expect(running, text).rejects.toThrow(/Nothing was done/);
      }
    }
    await rm(inSite(".env"));
    await expect(restoreFrom(copy, { env: bystander.env })).rejects.toThrow(/\.env/);
    await writeFile(inSite(".env"), `DATABASE_URL=${database.url}\n`);
    const shell = { ...bystander.env, DATABASE_URL: bystander.url };
    await expect(restoreFrom(copy, { env: shell })).rejects.toThrow(/another one in this shell/);
    expect([await bystander.isWhole(), await readAll()]).toEqual([true, before]);
    expect(await listCopies()).toEqual([copy]);

    await query(database.url, `CREATE TABLE "OfALaterVersion" ("id" TEXT PRIMARY KEY)`);
    await restoreFrom(copy, { env: bystander.env });
    expect([await bystander.isWhole(), await readAll()]).toEqual([true, before]);
  }, 60_000);

  test("a restore shows where without the password, and does nothing without a yes", async () => {
    await makeTables();
    const copy = await makeCopy();
    const { host, pathname, password } = new URL(database.url);
    await query(database.url, `CREATE TABLE "OfALaterVersion" ("id" TEXT PRIMARY KEY)`);
    const before = await readAll();
    for (const answer of ["", "y", "docker compose start latchkey"]) {
      await expect(restoreFrom(copy, { answer })).rejects.toThrow(/Nothing was changed/);
    }
    expect(await readAll()).toBe(before);
    const said = await restoreFrom(copy);
    expect(said).toContain(`the database ${pathname.slice(1)} at ${host} will be replaced by ${copy}`);
    expect(said).not.toContain(password);
    expect(await readAll()).not.toBe(before);
  }, 60_000);

  test("a copy that fails or is cut off leaves the earlier ones and no other", async () => {
    await makeTables();
    // A copy of the same second would get the same name.
    const copy = "latchkey-20260101-000000.dump";
    await rename(inSite(await makeCopy()), inSite(copy));
    const { size } = await stat(inSite(copy));
    const bin = inSite("bin");
    await mkdir(bin);
    // As a full disk would leave it. The tool's exit code doesn't show it.
    await writeFile(
      path.join(bin, "pg_dump"),
      `#!/bin/sh\nhead -c ${Math.floor(size / 2)} ${inSite(copy)}\n`,
    );
    await chmod(path.join(bin, "pg_dump"), 0o755);
    const env = { PATH: `${bin}:${postgresql.toolsEnvironment.PATH!}` };
    await expect(site.runShell(dump, env)).rejects.toThrow(/pg_restore: error/);
    const away = new URL(database.url);
    away.port = "9";
    await writeFile(inSite(".env"), `DATABASE_URL=${away.href}\n`);
    await expect(site.runShell(dump)).rejects.toThrow(/pg_dump: error/);
    expect(await listCopies()).toEqual([copy]);
    expect((await stat(inSite(copy))).size).toBe(size);
  }, 60_000);

  test("a restore is not stopped by rights of missing roles or by a superuser's extensions", async () => {
    await makeTables();
    const role = `reader_${count}`;
    await query(database.adminUrl, `CREATE ROLE "${role}"`);
    await query(database.adminUrl, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO "${role}"`);
    await query(database.adminUrl, `CREATE EXTENSION pageinspect`);
    const copy = await makeCopy();
    expect(await site.runShell(`pg_restore --file=- ${copy}`)).toMatch(/GRANT SELECT[^]*reader_/);
    await query(database.adminUrl, `DROP OWNED BY "${role}"`);
    await query(database.adminUrl, `DROP ROLE "${role}"`);
    const before = await readAll();
    await query(database.url, `CREATE TABLE "OfALaterVersion" ("id" TEXT PRIMARY KEY)`);
    await restoreFrom(copy);
    expect(await readAll()).toBe(before);
  }, 60_000);

  /** Replaces Docker: runs the local tools as the container's and records the calls. */
  async function standInForDocker(): Promise<{
    env: Record<string, string>;
    readCalls: () => Promise<string[]>;
  }> {
    const bin = inSite("bin");
    await mkdir(bin);
    const docker = [
      "#!/bin/sh",
      `echo "docker $*" >> ${inSite("calls.log")}`,
      `case "$*" in "compose exec -T postgres "*) shift 4; exec "$@" ;; esac`,
    ];
    const git = ["#!/bin/sh", `echo "git $*" >> ${inSite("calls.log")}`];
    for (const [name, lines] of Object.entries({ docker, git })) {
      await writeFile(path.join(bin, name), `${lines.join("\n")}\n`);
      await chmod(path.join(bin, name), 0o755);
    }
    const { hostname, port, password } = new URL(database.url);
    return {
      env: {
        PGHOST: hostname,
        PGPORT: port,
        PGPASSWORD: password,
        PATH: `${bin}:${postgresql.toolsEnvironment.PATH!}`,
      },
      readCalls: async () => {
        const calls = (await readFile(inSite("calls.log"), "utf8")).trimEnd().split("\n");
        await rm(inSite("calls.log"));
        return calls.map((call) => (call.includes(" exec ") ? call.split(" ").slice(0, 6).join(" ") : call));
      },
    };
  }

  test("a copy is made and restored with compose.yaml as docs/backup.md and docs/upgrading.md say", async () => {
    const blocks = (await readPlainBlocks("docs/backup.md")).filter((block) => block.includes(" compose "));
    const [copyBlock, restoreBlock] = blocks as [string, string];
    const goBack = (await readPlainBlocks("docs/upgrading.md")).find((block) =>
      block.includes("git checkout v"),
    )!;
    database = await postgresql.createDatabase("latchkey");
    const { env, readCalls } = await standInForDocker();
    const holder = await gate.mintKey();
    const server = await start();
    let copy = "";
    try {
      copy = path.basename((await site.runShell(copyBlock, env)).trim());
      expect(await useKey(server, { ...holder, message: "after the copy" })).toBe(200);
    } finally {
      await server.stop();
    }
    await readCalls();
    const before = await readAll();
    expect(before).toContain("after the copy");
    const tools = ["pg_restore", "psql", "psql"].map((tool) => `docker compose exec -T postgres ${tool}`);
    // On "no", the older server isn't built and none is started.
    await expect(site.runShell(nameCopy(goBack, copy), env, "no\n")).rejects.toThrow(/Nothing was changed/);
    expect(await readCalls()).toEqual(["docker compose stop latchkey", ...tools.slice(0, 2)]);
    expect(await readAll()).toBe(before);

    expect(await site.runShell(nameCopy(restoreBlock, copy), env, "yes\n")).toContain(
      "latchkey at compose.yaml",
    );
    const started = "docker compose start latchkey";
    expect(await readCalls()).toEqual(["docker compose stop latchkey", ...tools, started]);
    expect(await readAll()).not.toContain("after the copy");
    const again = await start();
    try {
      expect([await readyStatus(again), await isUsed(again, holder)]).toEqual([200, false]);
    } finally {
      await again.stop();
    }
    // The first server used the database during the copy.
    const living = `SELECT 1 FROM "QuotaInstance" WHERE "expiresAtMs" > EXTRACT(EPOCH FROM now()) * 1000`;
    await waitUntil(async () => (await query(database.url, living)).length === 0);
    await site.runShell(nameCopy(goBack, copy), env, "yes\n");
    expect(await readCalls()).toEqual([
      ...["docker compose stop latchkey", ...tools, "git checkout v0.1.0"],
      ...["docker compose build latchkey", "docker compose up -d"],
    ]);
    // docs/changing-keys.md changes the password in the same way.
    const [change] = await readPlainBlocks("docs/changing-keys.md");
    await site.runShell(change!, env);
    const address = new URL(database.url);
    await expect(query(address.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
    address.password = "the-new-one";
    expect(await query(address.href, "SELECT 1")).toHaveLength(1);
  }, 60_000);
});
