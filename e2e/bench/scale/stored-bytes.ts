import { closeDatabase, isSqlite, openDatabase } from "~/platform/database/database.server";

export type StoredBytes = Awaited<ReturnType<typeof openStoredBytes>>;

/** How much of a server's database holds rows: what was given back to it by deletions does not count. */
export async function openStoredBytes(url: string) {
  const database = await openDatabase({ url });

  async function readSqlite(): Promise<number> {
    const [row] = await database.$queryRaw<{ bytes: number | bigint }[]>`
      SELECT (page_count - freelist_count) * page_size AS "bytes"
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;
    return Number(row!.bytes);
  }

  /** As it stands once the server has cleaned up, which it does by itself within some minutes. */
  async function readPostgresql(): Promise<number> {
    await database.$executeRawUnsafe('VACUUM "KeptPiece"');
    await database.$executeRawUnsafe('VACUUM "KeptAnswer"');
    const [row] = await database.$queryRaw<{ bytes: number | bigint }[]>`
      SELECT pg_total_relation_size('"KeptPiece"') + pg_total_relation_size('"KeptAnswer"') AS "bytes"`;
    return Number(row!.bytes);
  }

  return {
    read: isSqlite(database) ? readSqlite : readPostgresql,
    countAnswers: () => database.keptAnswer.count(),
    close: () => closeDatabase(database),
  };
}
