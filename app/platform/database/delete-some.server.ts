import { join, raw } from "@prisma/client/runtime/client";
import type { Sql } from "@prisma/client/runtime/client";
import type { Database } from "./database.server";

export type Deletion = {
  table: string;
  /** The columns of its primary key. */
  key: readonly string[];
  condition: Sql;
  limit: number;
};

/**
 * Returns how many rows it deleted. The condition stands twice: the outer one is checked again under the row's lock, in
 * case the row has just been renewed. (Prisma's own `deleteMany` with a limit checks only inside.)
 */
export async function deleteSome(database: Database, deletion: Deletion): Promise<number> {
  const { condition, limit } = deletion;
  const table = raw(`"${deletion.table}"`);
  const key = join(deletion.key.map((column) => raw(`"${column}"`)));
  return await database.$executeRaw`
    DELETE FROM ${table}
    WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${limit}) AND (${condition})`;
}
