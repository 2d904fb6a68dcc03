import { copyFile, mkdir, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasPostgresqlTools, query, startPostgresqlWithTools } from "~/testing/postgresql-with-tools";
import type { PostgresqlWithTools } from "~/testing/postgresql-with-tools";
import { hasRedis, startRedis } from "~/testing/redis";
import { clientOf, openGate } from "./gate-fixture";
import type { Gate } from "./gate-fixture";
import {
  createPlace,
  isUsed,
  readPlainBlocks,
  readShellBlocks,
  readyStatus,
  useKey,
} from "./operations-fixture";
import type { Place } from "./operations-fixture";

const resetSecret = "operator-secret-of-the-tests";

// Where the tools are not, the run has said so when it began.
describe.skipIf(!hasPostgresqlTools)("docs/backup.md on PostgreSQL, with its own tools", () => {
  let gate: Gate;
  let postgresql: PostgresqlWithTools;
  let place: Place;
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
    place = await openPlace(database.url);
  });
  afterEach(() => place?.remove());

  /** The shell gets the address out of `.env` alone. */
  async function openPlace(url: string): Promise<Place> {
    const opened = await createPlace({ gate, environment: { ...postgresql.toolsEnvironment } });
    await writeFile(path.join(opened.dir, ".env"), `# settings\nDATABASE_URL="${url}"\nLEASE_SECONDS=3\n`);
    await mkdir(path.join(opened.dir, "docs"));
    await copyFile("docs/empty-database.sql", path.join(opened.dir, "docs/empty-database.sql"));
    return opened;
  }
  function start(env: Record<string, string> = {}) {
    const own = { DATABASE_URL: database.url, AI_QUOTA_RESET_SECRET: resetSecret, LEASE_SECONDS: "3" };
    return place.start({ ...own, NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true", ...env });
  }
  /** Tables, indexes, keys and every row, as text. */
  async function readAll(): Promise<string> {
    const text = await place.runShell(`pg_dump --no-owner "${database.url}"`);
    return text.replaceAll(/^\\(?:un)?restrict .*\n/gm, "");
  }
  const inPlace = (name: string) => path.join(place.dir, name);

  test("a copy made while the server runs is what a restore brings back, whole and nothing else", async () => {
    const redis = hasRedis ? await startRedis() : null;
    const state: Record<string, string> = redis
      ? { STATE_WORKER_URL: redis.url, STATE_WORKER_API_KEY: redis.password }
      : {};
    const [early, late] = [await gate.mintKey(), await gate.mintKey()];
    const first = await start(state);
    const port = String(first.port);
    const client = clientOf(first);
    let atDump = "";
    const unused = await client.siweBody(late);
    try {
      expect((await client.signIn(early)).status).toBe(200);
      expect(await useKey(first, { ...early, message: "before the copy; it's the first\n\\." })).toBe(200);
      const secret = { "x-quota-reset-secret": resetSecret };
      expect(
        (await client.post("/api/quota-reset", { scope: "token", tokenIds: [early.tokenId] }, secret)).status,
      ).toBe(200);
      await place.runShell(dump);
      atDump = await place.runShell("pg_restore --no-owner --file=- latchkey.dump");
      expect((await client.post("/api/gate-access", unused)).status).toBe(200);
      expect(await useKey(first, { ...late, message: "after the copy" })).toBe(200);
      expect([await isUsed(first, early), await isUsed(first, late)]).toEqual([true, true]);
    } finally {
      await first.stop();
    }
    expect((await stat(inPlace("latchkey.dump"))).mode & 0o777).toBe(0o600);
    await place.runShell(check);
    // What a newer version has added is not in the copy.
    await query(database.url, `CREATE TABLE "OfALaterVersion" ("id" TEXT PRIMARY KEY)`);
    await place.runShell(restore);

    const restored = await readAll();
    expect(restored).toBe(atDump.replaceAll(/^\\(?:un)?restrict .*\n/gm, ""));
    expect(restored).toContain("before the copy");
    expect(restored).not.toMatch(/after the copy|OfALaterVersion/);
    expect(await query(database.url, `SELECT "kind" FROM "AuditEntry"`)).toHaveLength(1);
    await expect(stat(inPlace("latchkey.sql"))).rejects.toThrow(/ENOENT/);

    // At its old address, so that the message signed before fits.
    const second = await start({ ...state, PORT: port });
    try {
      expect(await readyStatus(second)).toBe(200);
      expect([await isUsed(second, early), await isUsed(second, late)]).toEqual([true, false]);
      const again = clientOf(second);
      // Redis was left as it is: what was used there stays used.
      if (redis) expect((await again.post("/api/gate-access", unused)).status).toBe(401);
      expect((await again.signIn(late)).status).toBe(200);
      expect(await useKey(second, { ...late, message: "once more" })).toBe(200);
      expect(await useKey(second, { ...early, message: "not once more" })).toBe(403);
    } finally {
      await second.stop();
    }
  }, 120_000);

  test("a damaged copy is found by the check, and a restore of it changes nothing", async () => {
    const server = await start();
    try {
      expect(await useKey(server, { ...(await gate.mintKey()), message: "kept ".repeat(400) })).toBe(200);
    } finally {
      await server.stop();
    }
    await place.runShell(dump);
    await place.runShell(check);
    const before = await readAll();
    const { size } = await stat(inPlace("latchkey.dump"));
    for (const share of [0.9, 0.6]) {
      await truncate(inPlace("latchkey.dump"), Math.floor(size * share));
      await expect(place.runShell(check)).rejects.toThrow(/pg_restore: error/);
      await expect(place.runShell(restore)).rejects.toThrow(/pg_restore: error/);
      expect(await readAll()).toBe(before);
    }
  }, 60_000);

  test("a restore that fails when most of it is done changes nothing", async () => {
    await (await start()).stop();
    await place.runShell(dump);
    // In the way of an index, which comes after all rows; it is no table, so it is not swept away.
    await query(database.url, `DROP INDEX "UsedKey_usedAtMs_idx"`);
    await query(database.url, `CREATE SEQUENCE "UsedKey_usedAtMs_idx"`);
    const before = await readAll();
    await expect(place.runShell(restore)).rejects.toThrow(/"UsedKey_usedAtMs_idx" already exists/);
    expect(await readAll()).toBe(before);
    await query(database.url, `DROP SEQUENCE "UsedKey_usedAtMs_idx"`);
    await place.runShell(restore);
    expect(await readAll()).toContain(`CREATE INDEX "UsedKey_usedAtMs_idx"`);
  }, 60_000);

  test("a copy fills an empty database as well", async () => {
    await (await start()).stop();
    await place.runShell(dump);
    const before = await readAll();
    const other = await postgresql.createDatabase(`latchkey_empty_${count}`);
    await writeFile(inPlace(".env"), `DATABASE_URL=${other.url}\n`);
    await place.runShell(restore);
    database = other;
    expect(await readAll()).toBe(before);
  }, 60_000);

  test("what compose.yaml's database is told to do makes a copy and brings it back", async () => {
    const blocks = await readPlainBlocks("docs/backup.md");
    const [copyBlock, restoreBlock] = blocks.filter((block) => block.includes("exec -T postgres"));
    /** The lines for the container of the database without Docker; those for the server's are for the test to obey. */
    function toShell(block: string): string {
      const lines = block
        .split("\n")
        .filter((line) => !/^docker compose (?:stop|start) latchkey$/.test(line));
      const script = lines.join("\n").replaceAll("docker compose exec -T postgres ", "");
      expect(script).not.toContain("docker");
      return script;
    }
    database = await postgresql.createDatabase("latchkey");
    const address = new URL(database.url);
    const inside = { PGHOST: address.hostname, PGPORT: address.port, PGPASSWORD: address.password };
    const holder = await gate.mintKey();
    const server = await start();
    let before = "";
    try {
      await place.runShell(toShell(copyBlock!), inside);
      expect(await useKey(server, { ...holder, message: "after the copy" })).toBe(200);
    } finally {
      await server.stop();
    }
    before = await readAll();
    expect(before).toContain("after the copy");
    await place.runShell(toShell(restoreBlock!), inside);
    expect(await readAll()).not.toContain("after the copy");
    const again = await start();
    try {
      expect([await readyStatus(again), await isUsed(again, holder)]).toEqual([200, false]);
    } finally {
      await again.stop();
    }
    // The password is changed in the same way, by docs/changing-keys.md.
    const [change] = await readPlainBlocks("docs/changing-keys.md");
    await place.runShell(toShell(change!), inside);
    await expect(query(database.url, "SELECT 1")).rejects.toThrow(/password authentication failed/);
    address.password = "the-new-one";
    expect(await query(address.href, "SELECT 1")).toHaveLength(1);
  }, 60_000);
});
