import pg from "pg";

/** The process that PostgreSQL's others are children of, by the server's own word. */
export async function findPostmasterPid(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ text: string }>("SELECT pg_read_file('postmaster.pid') AS text");
    const pid = Number(rows[0]?.text.split("\n")[0]);
    if (!Number.isInteger(pid)) throw new Error("PostgreSQL does not tell its process.");
    return pid;
  } finally {
    await client.end();
  }
}
