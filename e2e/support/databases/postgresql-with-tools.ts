import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { findFreePort } from "../free-port";
import { findPostgresql, findPostgresqlUser } from "../obtain-programs";
import { waitUntil } from "../processes";

const run = promisify(execFile);

/** A run without PostgreSQL says so when it begins. */
export const hasPostgresqlTools = findPostgresql() !== null;

export type PostgresqlWithTools = {
  /** Such as `15`. */
  version: string;
  /** The environment in which a shell finds `pg_dump` and the other tools of the server's version. */
  toolsEnvironment: Record<string, string>;
  /** An empty database and an owner without further rights, as docs/databases.md requires. */
  createDatabase: (name: string) => Promise<{ url: string; adminUrl: string }>;
  stop: () => Promise<void>;
};

/** A real PostgreSQL with its tools, on a free loopback port. The caller stops it. */
export async function startPostgresqlWithTools(): Promise<PostgresqlWithTools> {
  const programs = findPostgresql();
  if (programs === null) throw new Error("There is no PostgreSQL with its tools on this machine.");
  const { binDir } = programs;
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-postgresql-"));
  const toolsEnvironment = {
    ...programs.environment,
    PATH: `${binDir}${path.delimiter}${process.env.PATH ?? ""}`,
  };
  const user = findPostgresqlUser();
  const options = { ...user, env: { ...process.env, ...toolsEnvironment, HOME: dir, LC_ALL: "C.UTF-8" } };
  const dataDir = path.join(dir, "data");
  const passwordFile = path.join(dir, "password");
  const password = "the-password-of-this-test";
  await chmod(dir, 0o755);
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(passwordFile, password);
  if (user.uid !== undefined && user.gid !== undefined) await chown(dataDir, user.uid, user.gid);
  await run(
    path.join(binDir, "initdb"),
    [
      ...["--pgdata", dataDir, "--username", "postgres", "--pwfile", passwordFile],
      ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8"],
    ],
    { ...options, cwd: dir },
  );
  const port = await findFreePort();
  const site = ["-D", dataDir, "-p", String(port), "-h", "127.0.0.1", "-k", ""];
  let output = "";
  const child = spawn(path.join(binDir, "postgres"), site, {
    ...options,
    cwd: dir,
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, "exit");
  const addressOf = ({ role, name }: { role: string; name: string }) =>
    `postgresql://${role}:${password}@127.0.0.1:${port}/${name}`;
  const rootUrl = addressOf({ role: "postgres", name: "postgres" });
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended.\n${output}`);
    return await query(rootUrl, "SELECT 1").then(
      () => true,
      () => false,
    );
  });
  const [row] = await query<{ server_version_num: string }>(rootUrl, "SHOW server_version_num");

  return {
    version: String(Math.floor(Number(row!.server_version_num) / 10_000)),
    toolsEnvironment,
    createDatabase: async (name) => {
      await query(rootUrl, `CREATE ROLE "${name}" LOGIN PASSWORD '${password}'`);
      await query(rootUrl, `CREATE DATABASE "${name}" OWNER "${name}"`);
      return { url: addressOf({ role: name, name }), adminUrl: addressOf({ role: "postgres", name }) };
    },
    stop: async () => {
      // Stops at once, with open connections.
      child.kill("SIGINT");
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A starting server may cut the connection between two responses.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
