// One PostgreSQL server for all tests of a run with TEST_DATABASE=postgresql. It is removed with its files afterwards.
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";

/** Several servers of several tests at once, each with its own pool. */
const maxConnections = 400;

export async function setup() {
  if (process.env.TEST_DATABASE_SERVER) return () => {};
  const server = await startPostgresql({ flags: ["-c", `max_connections=${maxConnections}`] });
  const url = new URL(await server.createDatabase());
  url.pathname = "/postgres";
  process.env.TEST_DATABASE_SERVER = url.href;
  return async () => {
    delete process.env.TEST_DATABASE_SERVER;
    await server.stop();
  };
}
