import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createPostgresqlTestDatabase, openTestDatabase } from "~e2e/support/databases/database";
import { directStatements } from "./direct-statements.server";

/** The first bytes of the message in which a server tells a client the process that serves it. */
const tellsProcess = Buffer.from([0x4b, 0, 0, 0, 12]);

/** Passes everything on but the process, of which it tells one of its own making. Its address. */
async function startPooler(url: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    client.pipe(upstream);
    upstream.on("data", (chunk: Buffer) => {
      const at = chunk.indexOf(tellsProcess);
      if (at !== -1) chunk.writeInt32BE(1, at + tellsProcess.length);
      client.write(chunk);
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return url.replace(`:${port}/`, `:${(server.address() as AddressInfo).port}/`);
}

/** The statements that PostgreSQL knows by a name, after some were asked for on one connection. */
async function listNamed(url: string): Promise<{ statement: string }[]> {
  const database = await openTestDatabase(url);
  const { query } = directStatements(database);
  for (const value of [1, 2])
    expect(await query`SELECT ${value} + 1 AS "next"`).toEqual([{ next: value + 1 }]);
  await database.$queryRaw`SELECT 'by Prisma'`;
  return await database.$queryRaw`SELECT "statement" FROM pg_prepared_statements`;
}

test("a direct statement is prepared once for a connection, and nothing is behind a pooler", async () => {
  const { url } = await createPostgresqlTestDatabase();
  expect(await listNamed(url)).toEqual([{ statement: 'SELECT $1 + 1 AS "next"' }]);
  expect(await listNamed(await startPooler(url))).toEqual([]);
});
