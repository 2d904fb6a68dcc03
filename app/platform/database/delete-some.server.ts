import type { Prisma } from "~/generated/sqlite/client";
import type { Database } from "./database.server";

export type Deletion = {
  table: Prisma.Sql;
  key: Prisma.Sql;
  condition: Prisma.Sql;
  limit: number;
};

/**
 * Returns how many rows it deleted. Checks the condition twice, the second time under the row's lock, in case the row
 * was renewed. (Prisma's `deleteMany` with a limit checks only once.)
 */
export async function deleteSome(
  database: Database,
  { table, key, condition, limit }: Deletion,
): Promise<number> {
  return await database.$executeRaw`
    DELETE FROM ${table}
    WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${limit}) AND (${condition})`;
}
