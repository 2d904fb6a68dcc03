import { cp } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { developmentAccount } from "../../contracts/local-chain.mjs";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { createTestDir, migrationsDir, testOnSqlite } from "~e2e/support/databases/database";
import { limitsOff } from "~e2e/support/limits";
import { startServer } from "~e2e/support/running-server";
import { clientOf } from "../api/gate-fixture";
import { startKeysServer } from "../api/keys-fixture";

/** The first migration with kinds of keys. */
const kindsCameWith = "0009";
const gatePath = "/api/gate-access";
const formPath = "/api/form-submission-gate";
const message = "written before there were kinds";

let chain: TestChain;
let keys: Record<"used" | "counted" | "departed" | "later" | "other", string>;
beforeAll(async () => {
  chain = await startTestChain();
  const [used, counted, departed, later, other] = [
    await chain.mintKey(1),
    await chain.mintKey(2),
    await chain.mintKey(3),
    await chain.mintKey(4),
    await chain.mintKey(5),
  ];
  keys = { used, counted, departed, later, other };
  // Using a key up requires a holding this deep.
  await chain.control.mine({ blocks: 3 });
});
afterAll(() => chain.stop());

type Body = Record<string, unknown>;
type Signed = { siwe: Sign; form: (by: number, tokenId: string, text: string) => Promise<Body> };
type Sign = (by: number, tokenId: string) => Promise<Body>;
type Running = Pick<ReturnType<typeof clientOf>, "ask" | "post"> & Signed & { close: () => Promise<unknown> };

type Site = { url: string; dataDir: string };
const limits = { ...limitsOff, NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true", KEY_USE_CONFIRMATIONS: "1" };

/** Starts with the settings from before kinds. */
async function startWithSettings({ url, dataDir }: Site): Promise<Running> {
  const env = {
    ...limits,
    DATABASE_URL: url,
    RPC_URL: chain.rpcUrl,
    KEY_CONTRACT_ADDRESS: chain.key.address,
    CHAIN_POLL_SECONDS: "1",
  };
  const server = await startServer({ dataDir, env, startLimitMs: 60_000 });
  const client = clientOf(server);
  const holderOf = (by: number, tokenId: string) => ({ account: developmentAccount(by).account, tokenId });
  return {
    ...client,
    siwe: (by, tokenId) => client.siweBody(holderOf(by, tokenId)),
    form: (by, tokenId, text) => client.formBody({ ...holderOf(by, tokenId), message: text }),
    close: server.stop,
  };
}

/** The old contract is the first kind, and there is a second one. */
async function startWithFile({ url, dataDir }: Site, kind: "key" | "vip"): Promise<Running> {
  const token = { standard: "erc721", chainId: 31337, contract: chain.key.address };
  const rich = { native: true, chainId: 31337, atLeast: "1" };
  const file = {
    chains: { 31337: {} },
    keys: [
      { name: "key", title: "A key", ...token },
      { name: "vip", title: "A key and a coin", ...token, also: rich },
    ],
  };
  const started = await startKeysServer({
    text: JSON.stringify(file),
    rpcUrls: { 31337: chain.rpcUrl },
    env: { ...limits, DATABASE_URL: url },
    dataDir,
  });
  return {
    ...started,
    siwe: (by, tokenId) => started.siwe(kind, developmentAccount(by).account, { tokenId }),
    form: (by, tokenId, text) =>
      started.form(kind, developmentAccount(by).account, { tokenId, message: text }),
  };
}

/** Creates an older version's tables, with rows of keys. */
async function fillAsFormerVersion({ url }: Site): Promise<void> {
  const formerDir = path.join(await createTestDir(), "migrations");
  const isFormer = (file: string) => (/[/\\](\d{4})_/.exec(file)?.[1] ?? "") < kindsCameWith;
  await cp(migrationsDir, formerDir, { recursive: true, filter: isFormer });
  await migrateDatabase({ url, migrationsDir: formerDir });
  const nowMs = Date.now();
  const contract = chain.key.address.toLowerCase();
  const keyOf = (tokenId: string) => `31337, '${contract}', '${tokenId}'`;
  const holderOf = (by: number) => developmentAccount(by).address.toLowerCase();
  await withDatabase(url, async (database) => {
    for (const statement of [
      `INSERT INTO "UsedKey" VALUES (${keyOf(keys.used)}, '${holderOf(1)}', ${nowMs})`,
      `INSERT INTO "Submission" VALUES ('former-1', ${keyOf(keys.used)}, '${holderOf(1)}', '${message}', NULL, 'request-1', ${nowMs}, NULL)`,
      `INSERT INTO "QuotaWindow" VALUES ('token', '31337:${contract}:${keys.counted}', 1234, ${nowMs}, ${nowMs + 86_400_000})`,
      `INSERT INTO "KeyDeparture" VALUES (${keyOf(keys.departed)}, '${holderOf(3)}', ${nowMs})`,
      `INSERT INTO "ChainCursor" VALUES (31337, '${contract}', 1, '0x00', ${nowMs})`,
    ])
      await database.$executeRawUnsafe(statement);
  });
}

async function withDatabase<T>(url: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url });
  return await use(database).finally(() => closeDatabase(database));
}

/** Old rows keep their meaning. */
async function expectKept({ ask, post, siwe, form }: Signed & Pick<Running, "ask" | "post">): Promise<void> {
  expect((await ask({ path: `/api/token-status/${keys.used}` })).body).toMatchObject({ used: true });
  expect((await post(gatePath, await siwe(1, keys.used))).body.type).toMatch("already-been-used");
  expect((await post(formPath, await form(1, keys.used, "Once more."))).body.type).toMatch(
    "already-been-used",
  );
  const { body } = await post(gatePath, await siwe(2, keys.counted));
  const headers = { Authorization: `Bearer ${String(body.accessToken)}` };
  expect((await ask({ path: "/api/quota", headers })).body).toMatchObject({ used: 1234 });
  expect((await post(formPath, await form(3, keys.departed, "Too early."))).body).toMatchObject({
    type: expect.stringContaining("holding-too-recent") as string,
    detail: expect.stringContaining("seen leaving this wallet") as string,
  });
}

const readSubmissions = (url: string) =>
  withDatabase(url, (database) => database.submission.findMany({ orderBy: { createdAtMs: "asc" } }));

async function goThereAndBack(site: Site): Promise<void> {
  await fillAsFormerVersion(site);
  let tokenOfFile = "";
  for (const kind of ["key", "vip"] as const) {
    const running = await startWithFile(site, kind);
    try {
      await expectKept(running);
      tokenOfFile = String(
        (await running.post(gatePath, await running.siwe(5, keys.other))).body.accessToken,
      );
      if (kind === "vip")
        expect((await running.post(formPath, await running.form(4, keys.later, "With a file."))).status).toBe(
          200,
        );
    } finally {
      await running.close();
    }
  }
  const running = await startWithSettings(site);
  try {
    await expectKept(running);
    const { body } = await running.post(gatePath, await running.siwe(4, keys.later));
    expect(body.type).toMatch("already-been-used");
    const headers = { Authorization: `Bearer ${tokenOfFile}` };
    expect((await running.ask({ path: "/api/quota", headers })).status).toBe(401);
    expect((await running.post(gatePath, await running.siwe(5, keys.other))).status).toBe(200);
  } finally {
    await running.close();
  }
  expect(await readSubmissions(site.url)).toMatchObject([
    { id: "former-1", tokenId: keys.used, message },
    { tokenId: keys.later, message: "With a file." },
  ]);
}

testOnSqlite(
  "keys from before there were kinds stay what they were, with a file and without one again (SQLite)",
  async () => {
    const dataDir = await createTestDir();
    await goThereAndBack({ url: pathToFileURL(path.join(dataDir, "latchkey.db")).href, dataDir });
  },
  90_000,
);

test("keys from before there were kinds stay what they were, with a file and without one again (PostgreSQL)", async () => {
  const postgresql = await startPostgresql();
  try {
    await goThereAndBack({ url: await postgresql.createDatabase(), dataDir: await createTestDir() });
  } finally {
    await postgresql.stop();
  }
}, 90_000);
