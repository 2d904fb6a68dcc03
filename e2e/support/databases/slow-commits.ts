import pg from "pg";
import { onTestFinished } from "vitest";
import { startTcpGate } from "~e2e/support/providers/proxies";
import { createPostgresqlTestDatabase, openTestDatabase } from "./database";

/** A PostgreSQL database, and a connection that holds back commits of one table until they are released. */
export async function openSlowCommits(table: "UsedKey" | "Payment") {
  const { database: direct, url } = await createPostgresqlTestDatabase();
  await direct.$executeRaw`
    CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$`;
  await direct.$executeRawUnsafe(`
    CREATE CONSTRAINT TRIGGER wait_at_commit AFTER INSERT ON "${table}" DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait_at_commit()`);
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  onTestFinished(() => lock.end());
  await lock.query("SELECT pg_advisory_lock(7)");
  const address = new URL(url);
  const way = await startTcpGate({ host: address.hostname, port: Number(address.port) });
  onTestFinished(way.stop);
  address.port = String(way.port);
  return {
    direct,
    way,
    database: await openTestDatabase(address.href),
    isCommitting: async () => {
      const { rows } = await lock.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory' AND query = 'COMMIT'",
      );
      return rows.length === 1;
    },
    letCommit: () => lock.query("SELECT pg_advisory_unlock(7)"),
  };
}
