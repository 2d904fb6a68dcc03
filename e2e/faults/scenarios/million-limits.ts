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
import { createSweeper } from "~/platform/sweep/sweeper.server";
import { readDatabaseBytes, readHeldBytes } from "../server-measures";

const windowSeconds = 60;
/** So many windows, and sweeps, whatever the number of clients. */
const windows = 10;
const points = 5;
/** Hits on their way at once. */
const batch = 50;

export type MillionLimits = {
  seconds: number;
  refused: number;
  /** Windows in which one client that keeps asking got more or less than the limit. */
  wrongWindows: number;
  /** Of the clients of one window: two windows' worth are there at most, between two sweeps. */
  rowsAtHeight: number;
  clientsOfWindow: number;
  rowsAfterwards: number;
  fileBytes: number;
  heldBytes: number;
};

/** The limiter with its real database, and so many clients in ten windows of a clock that is moved by hand. */
export async function countManyClients(clients: number): Promise<MillionLimits> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "latchkey-million-"));
  const file = path.join(folder, "limits.db");
  const url = pathToFileURL(file).href;
  await migrateDatabase({ url, migrationsDir: path.resolve("prisma/migrations") });
  const database = await openDatabase({ url });
  try {
    mock.timers.enable({ apis: ["Date"], now: Date.now() });
    const clock = () => Date.now();
    const limiter = createRateLimiter({
      name: "faults",
      points,
      windowSeconds,
      algorithm: "fixed",
      clock,
      store: createRateLimitStore(database),
      onStoreFailure: (error) => {
        throw new Error("The database failed.", { cause: error });
      },
    });
    const sweeper = createSweeper({
      store: createSweepStore(database),
      clock,
      intervalSeconds: windowSeconds,
      onFailure: () => undefined,
    });
    const countRows = () => database.rateLimitWindow.count();
    const [startedAtMs, heldBefore] = [performance.now(), await readHeldBytes()];
    const clientsOfWindow = Math.ceil(clients / windows);
    const found = { refused: 0, wrongWindows: 0, rowsAtHeight: 0 };
    for (let window = 0; window < windows; window += 1) {
      let admitted = 0;
      for (let first = 0; first < clientsOfWindow; first += batch) {
        const size = Math.min(batch, clientsOfWindow - first);
        const hits = Array.from({ length: size }, (_, at) =>
          limiter.consume(`client ${window * clientsOfWindow + first + at}`),
        );
        for (const { allowed } of await Promise.all(hits)) if (!allowed) found.refused += 1;
        if ((await limiter.consume("one that keeps asking")).allowed) admitted += 1;
      }
      if (admitted !== Math.min(points, Math.ceil(clientsOfWindow / batch))) found.wrongWindows += 1;
      mock.timers.tick(windowSeconds * 1_000);
      found.rowsAtHeight = Math.max(found.rowsAtHeight, await countRows());
      await sweeper.sweep();
    }
    const seconds = (performance.now() - startedAtMs) / 1_000;
    mock.timers.tick(windowSeconds * 1_000);
    await sweeper.sweep();
    const rowsAfterwards = await countRows();
    const heldBytes = (await readHeldBytes()) - heldBefore;
    return {
      ...found,
      seconds,
      clientsOfWindow,
      rowsAfterwards,
      fileBytes: readDatabaseBytes(file),
      heldBytes,
    };
  } finally {
    mock.timers.reset();
    await closeDatabase(database);
    await rm(folder, { recursive: true, force: true });
  }
}
