import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import { memoryReportOptions, readMemory } from "~e2e/support/measure/memory-report";
import { waitUntil } from "~e2e/support/processes";
import { shortenTimers } from "~e2e/support/measure/shortened-timers";
import { openGate } from "~e2e/api/gate-fixture";
import type { Gate } from "~e2e/api/gate-fixture";
import { limitsOff } from "~e2e/support/limits";
import { countManyClients } from "./million-limits";
import { measureOneWindow } from "./one-window";
import { sendPipelined } from "../pipelined-requests";
import { scaled } from "../scenario";
import type { Figure, Scenario, ScenarioRun } from "../scenario";
import {
  findDefects,
  measuredOnly,
  megabyte,
  readDatabaseBytes,
  readResidentBytes,
} from "../server-measures";
import { withCleanup } from "../cleanup";
import type { Later } from "../cleanup";

const windowSeconds = 10;
/** Instead of a minute, so that sweeps are seen. */
const sweepSeconds = 3;
const points = 5;
const nonces = 30;
const probes = 5;

const settings = {
  ...limitsOff,
  RATE_LIMIT_TOKEN_STATUS: `${points}/${windowSeconds}`,
  RATE_LIMIT_MCP: `${points}/${windowSeconds}`,
  RATE_LIMIT_NONCE: `${nonces}/600`,
  TRUST_PROXY: "loopback",
};

/** A stranger each: sixteen million addresses, none of which belongs to a trusted proxy. */
const addressOf = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

function writeRequest(index: number, port: number): string {
  const head = `Host: localhost:${port}\r\nX-Forwarded-For: ${addressOf(index)}\r\n`;
  if (index % 2 === 0) return `GET /api/token-status/1 HTTP/1.1\r\n${head}\r\n`;
  const about = `Content-Type: application/json\r\nContent-Length: ${ping.length}\r\n`;
  return `POST /api/mcp HTTP/1.1\r\n${head}${about}\r\n${ping}`;
}

/** Requests of one client beyond and below its limit, while the flood is on. */
async function probeLimits(gate: Gate): Promise<number> {
  let wrong = 0;
  async function countAdmitted(at: string, asked: number, client: string) {
    const headers = { "X-Forwarded-For": client };
    const answers = await Promise.all(Array.from({ length: asked }, () => gate.ask({ path: at, headers })));
    return answers.filter(({ status }) => status === 200).length;
  }
  for (let probe = 0; probe < probes; probe += 1) {
    const client = `198.51.100.${probe + 1}`;
    const startedAtMs = performance.now();
    const admitted = await countAdmitted("/api/token-status/1", points * 3, client);
    const windows = 1 + Math.floor((performance.now() - startedAtMs) / (windowSeconds * 1_000));
    if (admitted < points || admitted > points * windows) wrong += 1;
    if ((await countAdmitted("/api/nonce", nonces + 10, client)) !== nonces) wrong += 1;
    await delay(200);
  }
  return wrong;
}

type Sizes = { rows: number; usedBytes: number; fileBytes: number };

async function readSizes(database: Database, file: string): Promise<Sizes> {
  const read = async (name: string) => {
    const [row] = await database.$queryRawUnsafe<Record<string, number | bigint>[]>(`PRAGMA ${name}`);
    return Number(Object.values(row!)[0]);
  };
  const pages = (await read("page_count")) - (await read("freelist_count"));
  const rows = await database.rateLimitWindow.count();
  return { rows, usedBytes: pages * (await read("page_size")), fileBytes: readDatabaseBytes(file) };
}

async function openSite(later: Later) {
  const gate = await openGate({
    env: settings,
    nodeOptions: [
      ...memoryReportOptions,
      ...shortenTimers({ kind: "setTimeout", fromMs: 60_000, toMs: sweepSeconds * 1_000 }),
    ],
    isQuiet: true,
  });
  later(() => gate.close());
  const { port, dataDir } = gate.server;
  const file = path.join(dataDir, "latchkey.db");
  const database = await openDatabase({ url: pathToFileURL(file).href });
  later(() => closeDatabase(database));
  const sizes = () => readSizes(database, file);
  return {
    gate,
    sizes,
    measure: async () => ({ memory: await readMemory(gate.server), sizes: await sizes() }),
    flood: (first: number, count: number) =>
      sendPipelined({
        port,
        connections: 128,
        depth: 4,
        count,
        write: (index) => writeRequest(first + index, port),
      }),
    untilSwept: () => waitUntil(async () => (await sizes()).rows === 0, { timeoutMs: 60_000, everyMs: 500 }),
  };
}

type Site = Awaited<ReturnType<typeof openSite>>;

/** The most that the process and its database hold, seen once a second until it is stopped. */
function recordHeight({ gate, sizes }: Site, later: Later) {
  const height = { bytes: 0, rows: 0 };
  let isOver = false;
  const polling = (async () => {
    while (!isOver) {
      height.bytes = Math.max(height.bytes, readResidentBytes(gate.server.pid) ?? 0);
      height.rows = Math.max(height.rows, (await sizes()).rows);
      await delay(1_000);
    }
  })();
  const stop = () => ((isOver = true), polling);
  later(stop);
  return { height, stop };
}

const none = (what: string, measured: number): Figure => ({ what, measured, bound: { equals: 0 } });
const megabytes = (what: string, bytes: number | null, atMost: number) => ({
  what,
  unit: "MB",
  bound: { atMost },
  measured: bytes === null ? null : bytes / megabyte,
});

/** Over HTTP, each client with an address of its own. */
async function floodSite({ scale, say, later }: ScenarioRun & { later: Later }) {
  const site = await openSite(later);
  const clients = scaled({ count: 1_000_000, scale, least: 2_000 });
  const warmUp = Math.min(20_000, clients);
  await site.flood(0, warmUp);
  await site.untilSwept();
  const before = await site.measure();

  const { height, stop } = recordHeight(site, later);
  const startedAtMs = performance.now();
  const flooding = site.flood(warmUp, clients);
  const wrong = await probeLimits(site.gate);
  const statuses = await flooding;
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await stop();
  const told = [...statuses].map(([status, count]) => `${status} ${count}`).join(", ");
  say(`${clients} clients in ${Math.round(seconds)} s: ${told}; ${height.rows} rows at most`);
  const { fileBytes } = await site.sizes();
  const isSwept = await site.untilSwept().then(
    () => true,
    () => false,
  );
  const after = await site.measure();
  const addedBytes = height.bytes === 0 ? null : height.bytes - before.memory.rss;
  const heldBytes = after.memory.heldBytes - before.memory.heldBytes;
  const usedBytes = after.sizes.usedBytes - before.sizes.usedBytes;
  const figures = [
    { what: "clients over HTTP", measured: clients, bound: { atLeast: 2_000 } },
    none("of whom were not served", clients - (statuses.get("200") ?? 0)),
    none("limits that let one client more or less through", wrong),
    megabytes("memory of the process at the height, more than at rest", addedBytes, 250),
    megabytes("memory held afterwards, more than before", heldBytes, 20),
    megabytes("database file at the height", fileBytes, 300),
    none("limits left after the sweep", isSwept ? 0 : after.sizes.rows),
    megabytes("database in use afterwards, more than before", usedBytes, 2),
  ];
  return { figures, countDefects: () => findDefects(site.gate.server.output()).length };
}

async function play(run: ScenarioRun & { later: Later }): Promise<Figure[]> {
  const { scale, say } = run;
  const overHttp = await floodSite(run);
  const clients = scaled({ count: 1_000_000, scale, least: 5_000 });
  const counted = await countManyClients(clients);
  const { clientsOfWindow } = counted;
  say(`${clientsOfWindow * 10} clients counted in ${Math.round(counted.seconds)} s`);
  const oneWindow = await measureOneWindow({ clients, say });
  return measuredOnly([
    ...overHttp.figures,
    {
      what: "clients counted by the limiter and its database",
      measured: clientsOfWindow * 10,
      bound: { atLeast: 5_000 },
    },
    none("of whom were refused their first request", counted.refused),
    none("windows in which one client got more or less than its limit", counted.wrongWindows),
    {
      what: "limits kept at the height, for each client of one window",
      measured: counted.rowsAtHeight / clientsOfWindow,
      bound: { atMost: 2.1 },
    },
    none("limits left after the last sweep", counted.rowsAfterwards),
    megabytes("database file of the limiter", counted.fileBytes, 100),
    megabytes("memory that the limiter holds", counted.heldBytes, 20),
    ...oneWindow,
    none("errors in the log", overHttp.countDefects()),
  ]);
}

export const manyClients: Scenario = {
  slug: "many-clients",
  promise:
    "A million clients over HTTP, and a million counted by the limiter in its database and in memory, leave memory and database bounded and limits exact.",
  inTests: false,
  run: (run) => withCleanup((later) => play({ ...run, later })),
};
