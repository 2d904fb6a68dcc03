import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { connect as connectTo, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { toRefusal } from "~/platform/http/to-refusal.server";
import { createPostgresqlTestDatabase, migrationsDir } from "~e2e/support/databases/database";
import { waitUntil } from "~e2e/support/processes";
import { mountSmallDisk } from "~e2e/support/databases/small-disk";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import { closeDatabase, findDatabaseFault, openDatabase, readPool } from "./database.server";
import type { Database, PoolOptions } from "./database.server";
import { migrateDatabase } from "./migrate.server";
import { isDatabaseOutage, readSqlState } from "./outage.server";

const pool: PoolOptions = {
  size: 2,
  connectSeconds: 1,
  statementSeconds: 2,
  lockSeconds: 1,
  idleSeconds: 1,
};

async function openWith(options: Partial<PoolOptions> = {}, url?: string) {
  const address = url ?? (await createPostgresqlTestDatabase()).url;
  const database = await openDatabase({ url: address, pool: { ...pool, ...options } });
  onTestFinished(() => closeDatabase(database));
  return { database, url: address };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function catchError(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: unknown) => error,
  );
}

function expectOutage(error: unknown): void {
  expect(isDatabaseOutage(error), String(error)).toBe(true);
  expect(toRefusal(error)).toMatchObject({
    refusalName: "state-unavailable",
    status: 503,
    headers: { "Retry-After": "5" },
  });
}

async function useKey(database: Pick<Database, "usedKey">, tokenId: string): Promise<void> {
  await database.usedKey.create({
    data: { chainId: 1n, contractAddress: "0xab", tokenId, usedBy: "0xcd", usedAtMs: 1n },
  });
}

test("the time limits of the settings apply to every connection", async () => {
  const { database } = await openWith({ statementSeconds: 7, lockSeconds: 3, idleSeconds: 13 });
  const [row] = await database.$queryRaw<object[]>`
    SELECT current_setting('statement_timeout') AS "statement", current_setting('lock_timeout') AS "lock",
      current_setting('idle_in_transaction_session_timeout') AS "idle"`;
  expect(row).toEqual({ statement: "7s", lock: "3s", idle: "13s" });
});

test.skipIf(!existsSync("/proc/net/tcp"))(
  "a silent connection is probed every ten seconds, not after the system's two hours",
  async () => {
    const { database, url } = await openWith();
    await database.$queryRaw`SELECT 1`;
    const remote = `0100007F:${Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0")}`;
    const timers = readFileSync("/proc/net/tcp", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      // Established connections of our own end.
      .filter(([, , to, state]) => to === remote && state === "01")
      .map((columns) => columns[5]!.split(":"));
    expect(timers.length).toBeGreaterThan(0);
    for (const [kind, ticks] of timers) {
      expect(kind).toBe("02");
      expect(Number.parseInt(ticks!, 16) / 100).toBeLessThanOrEqual(10);
    }
  },
);

test("an exhausted pool is an outage after the configured wait, and serves again when a connection is free", async () => {
  const { database, url } = await openWith({ statementSeconds: 20 });
  // Prisma's promises start only when awaited.
  const busy = [1, 2].map(async () => await database.$queryRaw`SELECT 1 FROM (SELECT pg_sleep(4)) AS slept`);
  const other = await connect(url);
  await waitUntil(async () => {
    const { rows } = await other.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep%'`,
    );
    // This question mentions it as well.
    return rows.length === 3;
  });
  expectOutage(await catchError(database.$queryRaw`SELECT 1`));
  await Promise.all(busy);
  expect(await database.$queryRaw`SELECT 1 AS "one"`).toEqual([{ one: 1 }]);
});

test("a slow statement and one that waits too long for a row are outages, and later ones succeed", async () => {
  const { database, url } = await openWith();
  expectOutage(await catchError(database.$queryRaw`SELECT 1 FROM (SELECT pg_sleep(10)) AS slept`));
  await useKey(database, "1");
  const other = await connect(url);
  await other.query(`BEGIN; UPDATE "UsedKey" SET "usedAtMs" = 1`);
  expectOutage(await catchError(database.usedKey.updateMany({ data: { usedAtMs: 2n } })));
  await other.query("ROLLBACK");
  expect(await database.usedKey.updateMany({ data: { usedAtMs: 2n } })).toEqual({ count: 1 });
});

test("a process that hangs in a transaction loses it and its locks, and others go on", async () => {
  const { database, url } = await openWith({ statementSeconds: 20, lockSeconds: 20 });
  await useKey(database, "1");
  const { database: hanging } = await openWith({}, url);
  const hung = hanging.$transaction(
    async (transaction) => {
      await transaction.usedKey.updateMany({ data: { usedAtMs: 1n } });
      await delay(2_500);
      await transaction.usedKey.updateMany({ data: { usedAtMs: 1n } });
    },
    { timeout: 20_000 },
  );
  const failure = catchError(hung);
  await delay(50);
  expect(await database.usedKey.updateMany({ data: { usedAtMs: 2n } })).toEqual({ count: 1 });
  expectOutage(await failure);
  expect((await database.usedKey.findMany())[0]?.usedAtMs).toBe(2n);
});

test("of two deadlocked transactions the one undone runs again", async () => {
  const { database } = await openWith({ size: 4, lockSeconds: 20, statementSeconds: 20, idleSeconds: 20 });
  for (const tokenId of ["1", "2"]) await useKey(database, tokenId);
  let meeting = 0;
  let attempts = 0;
  async function touch(order: readonly string[]): Promise<void> {
    await database.$transaction(async (transaction) => {
      attempts++;
      for (const [step, tokenId] of order.entries()) {
        await transaction.usedKey.updateMany({ where: { tokenId }, data: { usedAtMs: { increment: 1 } } });
        if (step > 0) continue;
        meeting++;
        while (meeting < 2) await delay(5);
      }
    });
  }
  const [before] = await database.usedKey.findMany({ where: { tokenId: "1" } });
  await Promise.all([touch(["1", "2"]), touch(["2", "1"])]);
  expect(attempts).toBe(3);
  const [after] = await database.usedKey.findMany({ where: { tokenId: "1" } });
  expect(after!.usedAtMs - before!.usedAtMs).toBe(2n);
});

test("a transaction with a serialisation failure runs again until it succeeds", async () => {
  const { database } = await openWith({ size: 10, lockSeconds: 20, statementSeconds: 20, idleSeconds: 20 });
  await useKey(database, "1");
  let attempts = 0;
  async function addOne(): Promise<void> {
    await database.$transaction(
      async (transaction) => {
        attempts++;
        const [row] = await transaction.usedKey.findMany();
        await delay(5);
        await transaction.usedKey.updateMany({ data: { usedAtMs: row!.usedAtMs + 1n } });
      },
      { isolationLevel: "Serializable" },
    );
  }
  await database.usedKey.updateMany({ data: { usedAtMs: 0n } });
  await Promise.all(Array.from({ length: 8 }, addOne));
  expect((await database.usedKey.findMany())[0]?.usedAtMs).toBe(8n);
  expect(attempts).toBeGreaterThan(8);
});

test("a transaction that fails only at its commit runs again", async () => {
  const { database } = await openWith({ size: 2, lockSeconds: 20, statementSeconds: 20, idleSeconds: 20 });
  for (const tokenId of ["1", "2"]) await useKey(database, tokenId);
  let attempts = 0;
  const bothHaveRead = meetingOf(2);
  const bothHaveWritten = meetingOf(2);
  /** Each reads what the other writes. In sequence, the second would read something else. */
  async function copy(from: string, to: string): Promise<void> {
    await database.$transaction(
      async (transaction) => {
        attempts++;
        const [row] = await transaction.usedKey.findMany({ where: { tokenId: from } });
        await bothHaveRead();
        const data = { usedAtMs: row!.usedAtMs + 1n };
        await transaction.usedKey.updateMany({ where: { tokenId: to }, data });
        await bothHaveWritten();
      },
      { isolationLevel: "Serializable" },
    );
  }
  await Promise.all([copy("1", "2"), copy("2", "1")]);
  expect(attempts).toBe(3);
  const rows = await database.usedKey.findMany({ orderBy: { usedAtMs: "asc" } });
  expect(rows.map(({ usedAtMs }) => usedAtMs)).toEqual([2n, 3n]);
});

/** Holds callers back until `count` are there. Later ones pass. */
function meetingOf(count: number): () => Promise<void> {
  let missing = count;
  return async () => {
    missing--;
    while (missing > 0) await delay(5);
  };
}

test("a single statement with a serialisation failure on a stricter database runs again, once", async () => {
  const { database: first, url } = await openWith();
  const name = new URL(url).pathname.slice(1);
  await first.$executeRawUnsafe(
    `ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`,
  );
  await useKey(first, "1");
  let undone = 0;
  const database = await openDatabase({
    url,
    instrument: { observe: ({ isFailed }) => void (undone += Number(isFailed)) },
  });
  onTestFinished(() => closeDatabase(database));
  const other = await connect(url);
  for (const add of [
    () => database.usedKey.updateMany({ data: { usedAtMs: { increment: 1n } } }),
    () => database.$executeRaw`UPDATE "UsedKey" SET "usedAtMs" = "usedAtMs" + 1`,
    () => database.$queryRaw`UPDATE "UsedKey" SET "usedAtMs" = "usedAtMs" + 1 RETURNING "tokenId"`,
  ]) {
    undone = 0;
    await other.query(`BEGIN; UPDATE "UsedKey" SET "usedAtMs" = 10`);
    const adding = (async () => await add())();
    await waitUntil(
      async () => (await first.$queryRaw<object[]>`SELECT 1 FROM pg_locks WHERE NOT granted`).length > 0,
    );
    await other.query("COMMIT");
    await adding;
    expect(undone).toBe(1);
    expect((await database.usedKey.findMany())[0]?.usedAtMs).toBe(11n);
  }
});

test("a connection ended by the server during a commit is an outage", async () => {
  const { database, url } = await openWith();
  await database.$executeRaw`
    CREATE FUNCTION end_at_commit() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`;
  await database.$executeRaw`
    CREATE CONSTRAINT TRIGGER end_at_commit AFTER INSERT ON "UsedKey" DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION end_at_commit()`;
  let isInserted = false;
  const work = database.$transaction(async (transaction) => {
    await useKey(transaction, "1");
    isInserted = true;
  });
  expectOutage(await catchError(work));
  expect(isInserted).toBe(true);
  const other = await connect(url);
  await other.query('DROP TRIGGER end_at_commit ON "UsedKey"');
  // The pool notices the loss when it next hands out that connection, and that caller gets a retryable error.
  await useKey(database, "2").catch(async (error: unknown) => {
    expectOutage(error);
    await useKey(database, "2");
  });
  expect(await database.usedKey.findMany({ select: { tokenId: true } })).toEqual([{ tokenId: "2" }]);
});

const findFault = (database: Database) => findDatabaseFault(database, 10_000);

/** More than any page that is there has room for, and no two parts of it alike. */
function submitMuch(database: Pick<Database, "submission">): Promise<unknown> {
  const message = randomBytes(200_000).toString("base64");
  const rest = { address: "0xcd", requestId: "r", chainId: 1n, contractAddress: "0xab", createdAtMs: 1n };
  return database.submission.create({ data: { id: "s", tokenId: "1", message, ...rest } });
}

test("a disk full below the tables is an outage and a fault, reads go on, and writes too once there is room", async ({
  skip,
}) => {
  const disk = mountSmallDisk(64);
  if (disk === null) return skip("A disk of its own can be mounted by root only.");
  onTestFinished(disk.remove);
  const server = await startPostgresql();
  onTestFinished(() => server.stop());
  const url = await server.createDatabase({ parentDir: disk.dir });
  await migrateDatabase({ url, migrationsDir });
  // Files of sorting are elsewhere, where there is room.
  const name = new URL(url).pathname.slice(1);
  await (await connect(url)).query(`ALTER DATABASE ${name} SET temp_tablespaces = 'pg_default'`);
  const { database } = await openWith({ size: 1, connectSeconds: 10, statementSeconds: 10 }, url);
  await useKey(database, "1");
  expect(await findFault(database)).toBeNull();

  disk.fill();
  for (const refused of [
    await catchError(submitMuch(database)),
    await catchError(database.$transaction((transaction) => submitMuch(transaction))),
  ]) {
    expect(readSqlState(refused)).toBe("53100");
    expectOutage(refused);
  }
  expect(await findFault(database)).toMatch(/can be read but not written: there is no room left/);
  expect(await database.usedKey.count()).toBe(1);
  expect(await database.submission.count()).toBe(0);

  disk.empty();
  expect(await findFault(database)).toBeNull();
  await submitMuch(database);
  // On the one connection there is.
  expect(await database.$queryRaw`SELECT current_setting('temp_tablespaces') AS "elsewhere"`).toEqual([
    { elsewhere: "pg_default" },
  ]);
}, 90_000);

test("a server that forbids temporary files has no fault", async () => {
  const { url } = await createPostgresqlTestDatabase();
  const name = new URL(url).pathname.slice(1);
  await (await connect(url)).query(`ALTER DATABASE ${name} SET temp_file_limit = 0`);
  const { database } = await openWith({}, url);
  expect(await findFault(database)).toBeNull();
});

test("a connection that PostgreSQL ends while it is being taken from the pool affects no other", async () => {
  const { url } = await createPostgresqlTestDatabase();
  const way = await startGatheringWay(new URL(url));
  onTestFinished(way.stop);
  const { database } = await openWith({ size: 1, connectSeconds: 10, statementSeconds: 10 }, way.href);
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  const admin = await connect(url);
  const findBackend = async (state: string) => {
    const { rows } = await admin.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_advisory_lock_shared(7)%' AND pid <> pg_backend_pid() AND state = $1",
      [state],
    );
    return rows[0]?.pid;
  };

  await admin.query("SELECT pg_advisory_lock(7)");
  const query = database.$queryRaw`SELECT length(pg_advisory_lock_shared(7)::text) AS "nothing"`.then(
    (rows) => rows,
  );
  await waitUntil(async () => (await findBackend("active")) !== undefined);
  const taken = Promise.allSettled([database.$transaction((transaction) => transaction.usedKey.count())]);
  await waitUntil(() => readPool(database)?.waiting === 1);
  way.gather();
  await admin.query("SELECT pg_advisory_unlock(7)");
  await waitUntil(async () => (await findBackend("idle")) !== undefined);
  await admin.query("SELECT pg_terminate_backend($1)", [await findBackend("idle")]);
  await waitUntil(() => way.countHungUp() === 1);
  // Both arrive in one piece: the result, after which the next caller gets the connection, and the connection's end.
  way.pass();
  expect(await query).toEqual([{ nothing: 0 }]);
  await taken;
  expect(uncaught).toEqual([]);
  expect(await database.usedKey.count()).toBe(0);
});

/** A connection to the server that can hold the server's messages and pass them on in one piece. */
async function startGatheringWay(to: URL) {
  const sockets = new Set<Socket>();
  let kept: Buffer[] | null = null;
  let keeping: Socket | null = null;
  let hungUp = 0;
  const server = createServer((socket) => {
    const upstream = connectTo({ host: to.hostname, port: Number(to.port) });
    for (const end of [socket, upstream]) sockets.add(end.on("error", () => undefined));
    socket.pipe(upstream);
    upstream.on("data", (said: Buffer) => {
      if (kept === null) return void socket.write(said);
      kept.push(said);
      keeping = socket;
    });
    upstream.on("end", () => {
      hungUp += 1;
      if (kept === null) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const href = new URL(to);
  href.hostname = "127.0.0.1";
  href.port = String((server.address() as AddressInfo).port);
  return {
    href: href.href,
    gather: () => void (kept = []),
    pass: () => {
      keeping?.end(Buffer.concat(kept ?? []));
      kept = null;
    },
    countHungUp: () => hungUp,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
