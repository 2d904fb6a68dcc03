import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { mock } from "node:test";
import { pathToFileURL } from "node:url";
import { closeDatabase, openDatabase } from "~/platform/database/database.server";
import { migrateDatabase } from "~/platform/database/migrate.server";
import { createSweepStore } from "~/platform/sweep/sweep.store.server";
import { createRateLimiter } from "~/platform/limits/rate-limiter.server";
import { createRateLimitStore } from "~/platform/limits/rate-limits.store.server";
import type { RateLimitStore } from "~/platform/limits/rate-limits.store.server";
import { createSweeper } from "~/platform/sweep/sweeper.server";
import type { Figure } from "../scenario";
import { megabyte, readDatabaseBytes, readHeldBytes } from "../server-measures";

const windowSeconds = 60;
const points = 5;
/** Hits on their way at once. */
const batch = 50;
/** Between two requests of the client that keeps asking: fewer than memory keeps. */
const everyBatches = 100;

type LimitKind = "fixed" | "sliding";

type OneWindow = {
  seconds: number;
  refused: number;
  /** How far one client that keeps asking is from its limit. */
  wrong: number;
  /** Clients that were forgotten though their limit was in force; 0 in the database. */
  forgotten: number;
  heldBytes: number;
};

type FillWindowOptions = {
  clients: number;
  algorithm: LimitKind;
  store: RateLimitStore;
  onStoreFailure: (error: unknown) => void;
};

/** So many clients, each once, within one window of a clock that stands still. */
async function fillWindow({
  clients,
  algorithm,
  store,
  onStoreFailure,
}: FillWindowOptions): Promise<OneWindow> {
  const found = { refused: 0, wrong: 0, forgotten: 0 };
  const heldBefore = await readHeldBytes();
  // The library's windows go by this clock.
  mock.timers.enable({ apis: ["Date"], now: nowMs });
  const limiter = createRateLimiter({
    name: "faults",
    points,
    windowSeconds,
    algorithm,
    store,
    onStoreFailure,
    clock: () => nowMs,
    onForgotten: () => void (found.forgotten += 1),
  });
  const startedAtMs = performance.now();
  let [asked, admitted] = [0, 0];
  for (let first = 0; first < clients; first += batch) {
    const size = Math.min(batch, clients - first);
    const hits = Array.from({ length: size }, (_, at) => limiter.consume(`client ${first + at}`));
    for (const { allowed } of await Promise.all(hits)) if (!allowed) found.refused += 1;
    if ((first / batch) % everyBatches !== 0) continue;
    asked += 1;
    if ((await limiter.consume("one that keeps asking")).allowed) admitted += 1;
  }
  found.wrong = Math.abs(admitted - Math.min(points, asked));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const heldBytes = (await readHeldBytes()) - heldBefore;
  // Alive until here, or there would be nothing to measure.
  await limiter.consume("the last one");
  mock.timers.reset();
  return { ...found, seconds, heldBytes };
}

const nowMs = Date.parse("2026-01-01T00:00:00Z");

/** While the store is away: what is kept in memory, of one limit. */
async function fillWindowInMemory(request: { clients: number; algorithm: LimitKind }): Promise<OneWindow> {
  const away = () => Promise.reject(new Error("The database is away."));
  const store = { openWindows: () => ({ deleteMany: away, upsert: away }), takeFromLog: away };
  return await fillWindow({ ...request, store, onStoreFailure: () => undefined });
}

type OneWindowInDatabase = OneWindow & {
  rows: number;
  fileBytes: number;
  rowsAfterwards: number;
  sweepSeconds: number;
};

/** In a real database file, with the sweep that follows. */
async function fillWindowInDatabase(request: {
  clients: number;
  algorithm: LimitKind;
}): Promise<OneWindowInDatabase> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-window-"));
  const file = path.join(folder, "limits.db");
  const url = pathToFileURL(file).href;
  await migrateDatabase({ url, migrationsDir: path.resolve("prisma/migrations") });
  const database = await openDatabase({ url });
  try {
    const countRows = async () =>
      (await database.rateLimitWindow.count()) + (await database.rateLimitLog.count());
    const filled = await fillWindow({
      ...request,
      store: createRateLimitStore(database),
      onStoreFailure: (error) => {
        throw new Error("The database failed.", { cause: error });
      },
    });
    const [rows, fileBytes] = [await countRows(), readDatabaseBytes(file)];
    const sweeper = createSweeper({
      store: createSweepStore(database),
      intervalSeconds: windowSeconds,
      clock: () => nowMs + windowSeconds * 1_000,
      onFailure: (error) => {
        throw new Error("The sweep failed.", { cause: error });
      },
    });
    const startedAtMs = performance.now();
    await sweeper.sweep();
    const sweepSeconds = (performance.now() - startedAtMs) / 1_000;
    return { ...filled, rows, fileBytes, sweepSeconds, rowsAfterwards: await countRows() };
  } finally {
    await closeDatabase(database);
    await rm(folder, { recursive: true, force: true });
  }
}

/** With its log of what is not yet in its place. */
const emptyDatabaseMegabytes = 10;
const rowBytes = 300;
/** How many clients memory keeps for one limit; further ones are evicted and counted. */
const keptInMemory = 50_000;

/** The figures that have to hold with so many clients at once, for both kinds of limit, in memory and in a database. */
export async function measureOneWindow({
  clients,
  say,
}: {
  clients: number;
  say: (line: string) => void;
}): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const algorithm of ["fixed", "sliding"] as const) {
    const memory = await fillWindowInMemory({ clients, algorithm });
    say(`${clients} clients in one ${algorithm} window in memory, in ${Math.round(memory.seconds)} s`);
    figures.push(...judgeWindow(memory, `${algorithm}, in memory`), {
      what: `clients of one window kept or told of as forgotten (${algorithm}, in memory)`,
      // With the one that keeps asking, and the last one.
      measured: Math.min(keptInMemory, clients + 2) + memory.forgotten,
      bound: { equals: clients + 2 },
    });
    const database = await fillWindowInDatabase({ clients, algorithm });
    const took = `${Math.round(database.seconds)} s, swept in ${Math.round(database.sweepSeconds)} s`;
    say(`${clients} clients in one ${algorithm} window in the database, in ${took}`);
    const where = `${algorithm}, database`;
    figures.push(
      ...judgeWindow(database, where),
      // And the one that keeps asking, and the last one.
      { what: `limits kept at once (${where})`, measured: database.rows, bound: { equals: clients + 2 } },
      {
        what: `database file (${where})`,
        unit: "MB",
        measured: database.fileBytes / megabyte,
        bound: { atMost: emptyDatabaseMegabytes + (clients * rowBytes) / megabyte },
      },
      {
        what: `limits left after the sweep (${where})`,
        measured: database.rowsAfterwards,
        bound: { equals: 0 },
      },
    );
  }
  return figures;
}

function judgeWindow(of: OneWindow, where: string): Figure[] {
  return [
    { what: `refused their first request (${where})`, measured: of.refused, bound: { equals: 0 } },
    { what: `limits off by so many requests (${where})`, measured: of.wrong, bound: { equals: 0 } },
    {
      what: `memory that the limiter holds (${where})`,
      unit: "MB",
      measured: of.heldBytes / megabyte,
      bound: { atMost: 40 },
    },
  ];
}
