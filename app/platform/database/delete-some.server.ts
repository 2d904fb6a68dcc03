import type { Prisma } from "~/generated/sqlite/client";
import type { Database } from "./database.server";

export type Deletion = {
  table: Prisma.Sql;
  /** The columns of its primary key. */
  key: Prisma.Sql;
  condition: Prisma.Sql;
  limit: number;
};

/**
 * Returns how many rows it deleted. The condition stands twice: the outer one is checked again under the row's lock, in
 * case the row has just been renewed. (Prisma's own `deleteMany` with a limit checks only inside.)
 */
export async function deleteSome(
  database: Database,
  { table, key, condition, limit }: Deletion,
): Promise<number> {
  return await database.$executeRaw`
    DELETE FROM ${table}
    WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${limit}) AND (${condition})`;
}
