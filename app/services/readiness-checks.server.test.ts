import { rm } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createChainCursorStore } from "../gate/transfers/chain-cursor.store.server";
import { findContractFault } from "~/gate/transfers/contract-faults.server";
import { createWatcherAge } from "~/gate/transfers/transfer-watchers.server";
import { createMigrationReader } from "~/operator/tables/tables.store.server";
import { readState } from "~/operator/state.server";
import type { StateDependencies } from "~/operator/state.server";
import { createChainClients } from "~/platform/chain/chain-clients.server";
import { createChainClient } from "~/platform/chain/chain-client.server";
import { systemClock as clock } from "~/platform/time/clock";
import { createProviderPing } from "~/platform/providers/provider-ping.gateway.server";
import { createReadiness } from "~/platform/instance/readiness.server";
import type { Readiness } from "~/platform/instance/readiness.server";
import { openRedis } from "~/platform/redis/redis.server";
import { startTestChain } from "~e2e/support/chain/chain";
import { createSqliteTestDatabase } from "~e2e/support/databases/database";
import { findFreePort } from "~e2e/support/free-port";
import { startJsonServer } from "~e2e/support/providers/json-server";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { hideSecrets, listChecks } from "./readiness-checks.server";

/** The operator's page names the external services. */
const rowNames: Record<string, string> = {
  database: "Database",
  redis: "Redis",
  chain: "Key contract",
  watcher: "Watcher of transfers",
  provider: "Model provider",
  speech: "Speech",
};

type Away = { provider?: boolean; speech?: boolean; chain?: boolean };

/** All real dependencies on this machine. If one is away, nothing listens at its address. */
async function openFixture(away: Away = {}) {
  const nobody = `http://127.0.0.1:${await findFreePort()}`;
  const { origin } = await startJsonServer(({ answer }) => answer({ data: [] }));
  const pingAt = (what: string, isAway = false) =>
    createProviderPing({ what, baseUrl: isAway ? nobody : origin, headers: {}, clock });
  const { database, filePath } = await createSqliteTestDatabase();
  const redisServer = hasRedis ? await startRedis() : null;
  const redis = redisServer && (await openRedis(redisServer));
  onTestFinished(() => redis?.close());
  const chain = await startTestChain();
  onTestFinished(chain.stop);
  const rpcUrls = [away.chain ? nobody : chain.rpcUrl];
  const client = createChainClient({ rpcUrls, chainId: chain.chainId });
  const cursors = createChainCursorStore(database);
  const watched = { chainId: chain.chainId, contractAddress: chain.key.address };
  const makeWatcherAge = (chainId: number) =>
    createWatcherAge({
      findCursorAgeMs: () => cursors.findCursorAgeMs({ chainId }),
      pollSeconds: 4,
      leaseSeconds: 10,
      clock,
    });
  const dependencies = {
    database,
    redis,
    clients: new Map([[chain.chainId, client]]),
    gate: {
      findContractFault: () => findContractFault(client, { contract: chain.key.address, standard: "erc721" }),
      areKindsNamed: false,
      chainIds: [chain.chainId],
      watcherAges: [makeWatcherAge(chain.chainId)],
    },
    chat: { pingProvider: pingAt("model provider", away.provider) },
    speech: { pingProvider: pingAt("provider of speech", away.speech) },
  };
  const readReadiness = createReadiness(listChecks(dependencies), clock);
  return {
    database,
    filePath,
    redisServer,
    readReadiness,
    cursors,
    watched,
    chain,
    dependencies,
    makeWatcherAge,
  };
}

/** The operator page's data, where everything that readiness doesn't check is healthy. */
async function view({
  database,
  readReadiness,
}: Pick<Awaited<ReturnType<typeof openFixture>>, "database" | "readReadiness">) {
  // One slow check serves both.
  const readiness = await readReadiness();
  const its: StateDependencies = {
    clock,
    readReadiness: async () => readiness,
    database: { provider: "SQLite", readMigrations: createMigrationReader(database) },
    askEndpoints: async () => [],
    areKindsNamed: false,
    watcherStatuses: () => [
      {
        isRunning: true,
        blockNumber: 1n,
        blocksBehind: 0n,
        lastSuccessAtMs: clock(),
        consecutiveFailures: 0,
      },
    ],
    provider: { name: "local", isEmbedded: false, models: ["small"] },
    search: { isEmbedded: true, listNamespaces: async () => [] },
    speech: { name: "local", isEmbedded: false },
    outboxStatus: async () => ({
      running: true,
      channels: [],
      unconfiguredChannels: [],
      inFlight: 0,
      pending: 0,
    }),
    recorderStatus: () => ({
      waiting: 0,
      droppedDecisions: 0,
      droppedCounts: 0,
      lastWrittenAtMs: null,
      lastFailureAtMs: null,
    }),
    paymentStatus: null,
    switches: [],
  };
  const state = await readState(its);
  const rows = new Map(state.dependencies.map((row) => [row.name, row]));
  expect(rows.size, "every row has a name of its own").toBe(state.dependencies.length);
  for (const [key, { state: found, detail }] of Object.entries(readiness.dependencies)) {
    expect(rows.get(rowNames[key]!)?.state, key).toBe(found);
    if (detail !== undefined) expect(rows.get(rowNames[key]!)?.facts, key).toContain(detail);
  }
  expect(state.status).toBe(readiness.status);
  const down = state.dependencies.filter((row) => row.state === "down");
  return { status: state.status, rows, down: down.map(({ name, facts }) => [name, facts[0]]) };
}

test("every dependency has a row, and all are up", async () => {
  const fixture = await openFixture();
  const { status, down, rows } = await view(fixture);
  expect([status, down]).toEqual(["ready", []]);
  const { dependencies } = await fixture.readReadiness();
  const expected = Object.keys(rowNames).filter((key) => hasRedis || key !== "redis");
  expect(Object.keys(dependencies).toSorted()).toEqual(expected.toSorted());
  expect(rows.get("Database")?.facts.join(" ")).toMatch(/SQLite\. \d+ migrations, the last one \d+/);
});

test.each<[keyof Away, string, string, string]>([
  ["provider", "degraded", "Model provider", "The model provider cannot be reached."],
  ["speech", "degraded", "Speech", "The provider of speech cannot be reached."],
  ["chain", "unready", "Key contract", "No RPC endpoint of the configured chain answered."],
])("with %s away the service is %s, and one row is down for that reason", async (away, status, name, why) => {
  const seen = await view(await openFixture({ [away]: true }));
  expect(seen).toMatchObject({ status, down: [[name, why]] });
});

test("the service is degraded on every process while nobody has read transfers for long", async () => {
  const fixture = await openFixture();
  const { cursors, watched: contract } = fixture;
  const cursor = { blockNumber: 7n, blockHash: "0x", blockSeconds: 1n };
  await cursors.saveCursor(contract, cursor);
  // By the database's clock: two polls of 4 s, a lease of 10 s and a minute.
  await fixture.database.$executeRaw`UPDATE "ChainCursor" SET "updatedAtMs" = "updatedAtMs" - 79000`;
  const { status, down } = await view(fixture);
  expect([status, down]).toEqual([
    "degraded",
    [
      [
        "Watcher of transfers",
        expect.stringMatching(/^Nobody has read the transfers of keys for (79|8\d) s\./),
      ],
    ],
  ]);
  await cursors.saveCursor(contract, cursor);
  await vi.waitFor(async () => expect((await fixture.readReadiness()).status).toBe("ready"), 5_000);
});

test.skipIf(!hasRedis)("the service is not ready with Redis away, and its row is down", async () => {
  const fixture = await openFixture();
  await fixture.redisServer?.kill();
  const { status, down } = await view(fixture);
  expect([status, down]).toEqual(["unready", [["Redis", "Redis is unreachable."]]]);
});

test("the database's row is down with its reason when its file is gone, and the others are still shown", async () => {
  const fixture = await openFixture();
  await rm(fixture.filePath);
  const { status, down } = await view(fixture);
  expect([status, down]).toEqual([
    "unready",
    [["Database", "The database file was removed or replaced while the server was running."]],
  ]);
});

test("a dependency without a text of its own is shown by its key", async () => {
  const fixture = await openFixture();
  const latest: Readiness = await fixture.readReadiness();
  const printer = { state: "down", latencyMs: 1, detail: "It is out of paper." } as const;
  rowNames.printer = "printer";
  onTestFinished(() => void delete rowNames.printer);
  const dependencies = { ...latest.dependencies, printer };
  const { down } = await view({
    ...fixture,
    readReadiness: async () => ({ status: "degraded", dependencies }),
  });
  expect(down).toEqual([["printer", "It is out of paper."]]);
});

/** Kinds from a file, on three chains, of which some are away. */
async function askChains(isAway: (chainId: number) => boolean, fault: string | null = null) {
  const fixture = await openFixture();
  const { chain } = fixture;
  const nobody = `http://127.0.0.1:${await findFreePort()}`;
  const chainIds = [31337, 31338, 31339];
  const others = await Promise.all(chainIds.slice(1).map((chainId) => startTestChain({ chainId })));
  for (const other of others) onTestFinished(other.stop);
  const endpoints = [chain, ...others].map(({ chainId, rpcUrl }) => {
    return { chainId, rpcUrls: [isAway(chainId) ? nobody : rpcUrl] };
  });
  const clients = createChainClients(endpoints, { onAnswer: () => {}, onFault: () => {} });
  const watcherAges = chainIds.map((chainId) => Object.assign(fixture.makeWatcherAge(chainId), { chainId }));
  const gate = { areKindsNamed: true, chainIds, watcherAges, findContractFault: async () => fault };
  const { status, dependencies } = await createReadiness(
    listChecks({ ...fixture.dependencies, clients, gate }),
    clock,
  )();
  const down = Object.entries(dependencies).filter(([, { state }]) => state === "down");
  return { status, names: Object.keys(dependencies), down: down.map(([name, { detail }]) => [name, detail]) };
}

test("with several chains each has a check and a watcher's age", async () => {
  const { status, names, down } = await askChains(() => false);
  expect([status, down]).toEqual(["ready", []]);
  const ofChains = ["chain", "chain:31337", "chain:31338", "chain:31339", "keys"];
  const watchers = ["watcher:31337", "watcher:31338", "watcher:31339"];
  expect(names.filter((name) => /^(chain|keys|watcher)/.test(name))).toEqual([...ofChains, ...watchers]);
});

test("with one of several chains away the service is degraded, with all of them it is not ready", async () => {
  const ofSecond = ["chain:31338", "No RPC endpoint of chain 31338 answered."];
  expect(await askChains((chainId) => chainId === 31338)).toMatchObject({
    status: "degraded",
    down: [ofSecond],
  });
  const { status, down } = await askChains(() => true);
  expect([status, down[0]]).toEqual([
    "unready",
    ["chain", "No RPC endpoint of any configured chain answered."],
  ]);
});

test("a contract of a leaf that does not exist makes the service degraded", async () => {
  const fault = "A secret leaf of founder: its contract does not exist.";
  expect(await askChains(() => false, fault)).toMatchObject({ status: "degraded", down: [["keys", fault]] });
});

test("everybody is told less of a secret leaf's contract than the operator, and the same of all else", () => {
  const up = { state: "up", latencyMs: 1 } as const;
  const seen = (detail: string): Readiness => ({
    status: "degraded",
    dependencies: { database: up, keys: { state: "down", latencyMs: 2, detail } },
  });
  const told = "A secret leaf of founder: its contract does not answer getHasValidKey(address). And 2 more.";
  expect(hideSecrets(seen(told), [])).toEqual(
    seen("A secret leaf of founder: its contract is unusable. And 2 more."),
  );
});
