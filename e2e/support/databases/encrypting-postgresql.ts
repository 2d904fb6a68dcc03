import { stat, writeFile } from "node:fs/promises";
import { startPostgresql } from "../../../prisma/shadow-databases.mjs";
import type { Certificates } from "../certificates";
import { query, startPostgresqlWithTools } from "./postgresql-with-tools";
import { waitUntil } from "../processes";

type Server = { adminUrl: string; createDatabase: () => Promise<string>; stop: () => Promise<void> };

/** A real PostgreSQL server with these certificates that also accepts unencrypted connections. The caller stops it. */
export async function startEncryptingPostgresql(certificates: Certificates) {
  const server = await startPostgresql();
  const adminUrl = await server.createDatabase();
  return await encrypt(certificates, { ...server, adminUrl });
}

/** The same server with its tools. Only the superuser may connect unencrypted. */
export async function startEncryptingPostgresqlWithTools(certificates: Certificates) {
  const server = await startPostgresqlWithTools();
  const { adminUrl } = await server.createDatabase("latchkey_0");
  let count = 0;
  const createDatabase = async () => (await server.createDatabase(`latchkey_${++count}`)).url;
  const encrypting = await encrypt(certificates, { adminUrl, createDatabase, stop: server.stop });
  const [row] = await query<{ file: string }>(adminUrl, "SELECT current_setting('hba_file') AS file");
  const rules = ["hostssl all all 127.0.0.1/32", "hostnossl all postgres 127.0.0.1/32"];
  await writeFile(row!.file, rules.map((rule) => `${rule} scram-sha-256\n`).join(""));
  await query(adminUrl, "SELECT pg_reload_conf()");
  return { ...encrypting, adminUrl, toolsEnvironment: server.toolsEnvironment };
}

async function encrypt(certificates: Certificates, server: Server) {
  const { adminUrl } = server;
  const [row] = await query<{ dir: string }>(adminUrl, "SELECT current_setting('data_directory') AS dir");
  const owner = await stat(row!.dir);

  /** Applies to new connections. */
  async function set(settings: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await query(adminUrl, `ALTER SYSTEM SET ${name} = '${value}'`);
    }
    await query(adminUrl, "SELECT pg_reload_conf()");
    await waitUntil(async () => {
      const now = await query<{ name: string; setting: string }>(
        adminUrl,
        "SELECT name, setting FROM pg_settings",
      );
      return Object.entries(settings).every(([name, value]) =>
        now.some((setting) => setting.name === name && setting.setting === value),
      );
    });
  }

  async function show(shown: Certificates): Promise<void> {
    await shown.giveKeyTo(owner);
    await set({ ssl_cert_file: shown.certificateFile, ssl_key_file: shown.keyFile });
  }

  await show(certificates);
  await set({ ssl: "on" });
  return {
    set,
    show,
    /** Creates an empty database. */
    createAddress: async ({ host, options }: { host: string; options: Record<string, string> }) => {
      const url = new URL(await server.createDatabase());
      url.hostname = host;
      for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value);
      return url.href;
    },
    /** Whether its connections are encrypted, according to PostgreSQL: each distinct value once. */
    listEncryption: async (address: string): Promise<boolean[]> => {
      const rows = await query<{ ssl: boolean }>(
        adminUrl,
        `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = '${nameOf(address)}'`,
      );
      return rows.map(({ ssl }) => ssl);
    },
    hangUp: async (address: string): Promise<void> => {
      const ofIts = `FROM pg_stat_activity WHERE datname = '${nameOf(address)}'`;
      await query(adminUrl, `SELECT pg_terminate_backend(pid) ${ofIts}`);
    },
    stop: server.stop,
  };
}

function nameOf(address: string): string {
  return new URL(address).pathname.slice(1);
}
