import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import Sqlite from "libsql";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { createTestDir, migrationsDir, testOnSqlite } from "~e2e/support/databases/database";
import {
  hasPostgresqlTools,
  query,
  startPostgresqlWithTools,
} from "~e2e/support/databases/postgresql-with-tools";
import type { PostgresqlWithTools } from "~e2e/support/databases/postgresql-with-tools";
import type { RunningServer } from "~e2e/support/running-server";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { clientOf, openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { createSite, isUsed, nameCopy, readShellBlocks, readyStatus, useKey } from "./operations-fixture";
import type { Site } from "./operations-fixture";
import { signInAsOperator } from "~e2e/support/operator-session";

const operatorSecret = "Qm7rV2kXw9TzLc4H";
/** The former version's migrations. */
const formerMigrations = ["0001_gate", "0002_quota", "0003_payments"];
const message = "written under the former version";

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

type Engine = {
  url: string;
  site: Site;
  /** For statements that PostgreSQL and SQLite both accept. */
  ask: <Row extends object>(sql: string) => Promise<Row[]>;
};

async function openSqlite(): Promise<Engine> {
  const site = await createSite(gate);
  onTestFinished(() => site.remove());
  const file = path.join(site.dir, "data/latchkey.db");
  return {
    url: pathToFileURL(file).href,
    site,
    ask: <Row extends object>(sql: string) => {
      const sqlite = new Sqlite(file);
      try {
        const statement = sqlite.prepare(sql);
        return Promise.resolve(/^SELECT/.test(sql) ? (statement.all() as Row[]) : (statement.run(), []));
      } finally {
        sqlite.close();
      }
    },
  };
}

async function openPostgresql(url: string, environment: Record<string, string> = {}): Promise<Engine> {
  const site = await createSite(gate, { ...environment, DATABASE_URL: url });
  onTestFinished(() => site.remove());
  await writeFile(path.join(site.dir, ".env"), `DATABASE_URL=${url}\n`);
  return { url, site, ask: (sql) => query(url, sql) };
}

/** Creates an older version's tables and history, with rows in nearly all of them. */
async function fillAsFormerVersion({ url, ask }: Engine, holder: { tokenId: string; address: string }) {
  const formerDir = path.join(await createTestDir(), "migrations");
  const isFormer = (file: string) =>
    !/[/\\]\d{4}_/.test(file) || formerMigrations.some((name) => file.includes(name));
  await cp(migrationsDir, formerDir, { recursive: true, filter: isFormer });
  await migrateDatabase({ url, migrationsDir: formerDir });
  expect(await readHistory(ask)).toEqual(formerMigrations);
  const nowMs = Date.now();
  const key = `31337, '${gate.contract.toLowerCase()}', '${holder.tokenId}'`;
  for (const statement of [
    `INSERT INTO "UsedKey" VALUES (${key}, '${holder.address}', ${nowMs})`,
    `INSERT INTO "Submission" VALUES ('former-1', ${key}, '${holder.address}', '${message}', NULL, 'request-1', ${nowMs})`,
    `INSERT INTO "Notification" VALUES ('former-1', 'submission', '{}', ${nowMs})`,
    `INSERT INTO "Nonce" VALUES ('former-nonce-of-somebody', '127.0.0.1', ${nowMs}, ${nowMs + 300_000}, NULL)`,
    `INSERT INTO "QuotaWindow" VALUES ('chat', 'somebody', 1234, ${nowMs}, ${nowMs + 86_400_000})`,
    `INSERT INTO "AuditEntry" VALUES ('audit-1', ${nowMs}, 'quota-reset', '127.0.0.1', 'request-2', '{}')`,
    `INSERT INTO "ChainCursor" VALUES (31337, '${gate.contract.toLowerCase()}', 1, '0x00', ${nowMs})`,
  ]) {
    await ask(statement);
  }
}

async function readHistory(ask: Engine["ask"]): Promise<string[]> {
  const rows = await ask<{ migration_name: string }>(`SELECT "migration_name" FROM "_prisma_migrations"`);
  return rows.map(({ migration_name }) => migration_name).sort();
}

const readCommon = async (ask: Engine["ask"]) => ({
  keys: await ask(`SELECT "tokenId", "usedBy" FROM "UsedKey"`),
  submissions: await ask(`SELECT "id", "message" FROM "Submission"`),
  audit: await ask(`SELECT "id" FROM "AuditEntry" WHERE "kind" = 'quota-reset'`),
  quotas: await ask(`SELECT "used" FROM "QuotaWindow"`),
  nonces: await ask(`SELECT "value" FROM "Nonce"`),
});

async function readSubmissionsPage({ origin }: Pick<RunningServer, "origin">): Promise<string> {
  const cookie = await signInAsOperator({ origin, secret: operatorSecret });
  return await (await fetch(`${origin}/operator/submissions`, { headers: { cookie } })).text();
}

const startNow = ({ site }: Engine) => site.start({ OPERATOR_SECRET: operatorSecret, LEASE_SECONDS: "3" });

/** The current build on the older database is ready, and all old data works. */
async function expectUpgraded(engine: Engine, holder: Awaited<ReturnType<Gate["mintKey"]>>): Promise<void> {
  const before = await readCommon(engine.ask);
  const server = await startNow(engine);
  try {
    expect(await readyStatus(server)).toBe(200);
    const history = await readHistory(engine.ask);
    expect(history.slice(0, 3)).toEqual(formerMigrations);
    expect(history).toContain("0005_leases");
    expect(await readCommon(engine.ask)).toEqual(before);
    expect(await isUsed(server, holder)).toBe(true);
    expect(await useKey(server, { ...holder, message: "once more" })).toBe(403);
    expect(await readSubmissionsPage(server)).toContain(message);
    const newcomer = await gate.mintKey();
    expect((await clientOf(server).signIn(newcomer)).status).toBe(200);
    expect(await useKey(server, { ...newcomer, message: "under this version" })).toBe(200);
  } finally {
    await server.stop();
  }
}

/** A newer version's database is refused in the page's words and left unchanged. */
async function expectRefused({ site, ask }: Engine): Promise<void> {
  await ask(
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at") VALUES ('later', 'x', '9999_later', CURRENT_TIMESTAMP)`,
  );
  const [before, rows] = [await readHistory(ask), await readCommon(ask)];
  const page = (await readFile("docs/upgrading.md", "utf8")).replaceAll("\n", " ");
  const [, words, status] = /\("([^"]+)"\), changes nothing, and ends with status (\d+)/.exec(page)!;
  expect(words).toContain("newer");
  const failure = await site.start({ OPERATOR_SECRET: operatorSecret }).catch(String);
  expect(failure).toContain(`The server ended with ${status}.`);
  expect(failure).toContain(words);
  expect(await readHistory(ask)).toEqual(before);
  expect(await readCommon(ask)).toEqual(rows);
}

testOnSqlite(
  "a start migrates a database of an older version, and refuses one of a later version (SQLite)",
  async () => {
    const engine = await openSqlite();
    const holder = await gate.mintKey();
    await fillAsFormerVersion(engine, { ...holder, address: holder.account.address });
    await expectUpgraded(engine, holder);
    await expectRefused(engine);
  },
  90_000,
);

test("a start migrates a database of an older version, and refuses one of a later version (PostgreSQL)", async () => {
  const server = await startPostgresql();
  onTestFinished(() => server.stop());
  const engine = await openPostgresql(await server.createDatabase());
  const holder = await gate.mintKey();
  await fillAsFormerVersion(engine, { ...holder, address: holder.account.address });
  await expectUpgraded(engine, holder);
  await expectRefused(engine);
}, 90_000);

/** Backs up, upgrades, goes back, and upgrades again, by the pages' commands. */
async function goThereAndBack({
  engine,
  commands: [copy, restore, listMigrations],
}: {
  engine: Engine;
  commands: [string, string, string];
}): Promise<void> {
  const holder = await gate.mintKey();
  const { site, ask } = engine;
  await fillAsFormerVersion(engine, { ...holder, address: holder.account.address });
  const before = await readCommon(ask);
  const made = path.basename((await site.runShell(copy)).trim());
  await expectUpgraded(engine, holder);
  expect(await site.runShell(listMigrations)).toMatch(/0003_payments[^]*0005_leases/);
  await site.runShell(made === "" ? restore : nameCopy(restore, made), {}, "yes\n");
  expect(await site.runShell(listMigrations)).not.toContain("0004_operator");
  expect(await readHistory(ask)).toEqual(formerMigrations);
  expect(await readCommon(ask)).toEqual(before);
  await expectUpgraded(engine, holder);
}

testOnSqlite(
  "an upgrade is taken back and repeated with the commands of the pages (SQLite)",
  async () => {
    const [copy, , restore] = await readShellBlocks("docs/backup.md", "SQLite");
    const [listMigrations] = await readShellBlocks("docs/upgrading.md");
    await goThereAndBack({ engine: await openSqlite(), commands: [copy!, restore!, listMigrations!] });
  },
  90_000,
);

describe.skipIf(!hasPostgresqlTools)("with PostgreSQL's own tools", () => {
  let postgresql: PostgresqlWithTools;
  beforeAll(async () => {
    postgresql = await startPostgresqlWithTools();
  });
  afterAll(() => postgresql?.stop());

  test("an upgrade is taken back and repeated with the commands of the pages (PostgreSQL)", async () => {
    const [copy, , restore] = await readShellBlocks("docs/backup.md", "PostgreSQL");
    const [, listMigrations] = await readShellBlocks("docs/upgrading.md");
    const { url } = await postgresql.createDatabase("upgraded");
    const engine = await openPostgresql(url, postgresql.toolsEnvironment);
    await goThereAndBack({ engine, commands: [copy!, restore!, listMigrations!] });
  }, 90_000);
});
