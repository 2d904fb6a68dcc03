import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createPostgresqlTestDatabase } from "~e2e/support/databases/database";
import { closeDatabase, openDatabase, readPool } from "./database.server";
import type { Database } from "./database.server";
import { directStatements, transactDirectly } from "./direct-statements.server";

/** The first bytes of the message in which a server tells a client the process that serves it. */
const tellsProcess = Buffer.from([0x4b, 0, 0, 0, 12]);

/** Passes everything on: another process than the server tells, and what the server says late. */
async function startProxy(url: string, { process, delayMs }: { process?: number; delayMs?: () => number }) {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    client.pipe(upstream);
    upstream.on("data", (chunk: Buffer) => {
      const at = chunk.indexOf(tellsProcess);
      if (at !== -1 && process !== undefined) chunk.writeInt32BE(process, at + tellsProcess.length);
      setTimeout(() => client.write(chunk), delayMs?.());
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return url.replace(`:${port}/`, `:${(server.address() as AddressInfo).port}/`);
}

async function open(url: string): Promise<Database> {
  const seconds = { connectSeconds: 1, statementSeconds: 5, lockSeconds: 5, idleSeconds: 15 };
  const database = await openDatabase({ url, pool: { size: 2, ...seconds } });
  onTestFinished(() => closeDatabase(database));
  return database;
}

/** The statements that PostgreSQL knows by a name, after some were asked for on one connection. */
async function listNamed(url: string): Promise<{ statement: string }[]> {
  const database = await open(url);
  const { query } = directStatements(database);
  for (const value of [1, 2])
    expect(await query`SELECT ${value} + 1 AS "next"`).toEqual([{ next: value + 1 }]);
  await database.$queryRaw`SELECT 'by Prisma'`;
  return await database.$queryRaw`SELECT "statement" FROM pg_prepared_statements`;
}

test("a direct statement is prepared once for a connection, and nothing is behind a pooler", async () => {
  const { url } = await createPostgresqlTestDatabase();
  expect(await listNamed(url)).toEqual([{ statement: 'SELECT $1 + 1 AS "next"' }]);
  expect(await listNamed(await startProxy(url, { process: 1 }))).toEqual([]);
});

test("a connection that is ready after its caller has given up goes back to the pool", async () => {
  const { url } = await createPostgresqlTestDatabase();
  let delayMs = 0;
  const database = await open(await startProxy(url, { delayMs: () => delayMs }));
  const ask = () =>
    Promise.allSettled(
      Array.from({ length: 4 }, () => transactDirectly(database, ({ query }) => query`SELECT 1 AS "one"`)),
    );
  // A connection has opened after two of these, and is ready after the third, when its caller has given up.
  delayMs = 420;
  expect((await ask()).map(({ status }) => status)).toContain("rejected");
  delayMs = 0;
  await expect.poll(async () => (await ask()).map(({ status }) => status)).not.toContain("rejected");
  await expect.poll(() => readPool(database), { timeout: 10_000 }).toEqual({ open: 2, idle: 2, waiting: 0 });
});
