import type { Prisma } from "~/generated/sqlite/client";
import type { Database } from "./database.server";

/** Prisma's own client in a transaction, for parts of it that are written by different features. */
export type Transaction = {
  client: Prisma.TransactionClient;
  /** What is to follow once all of it is committed; never where it is rolled back. */
  afterCommit: (work: () => void) => void;
};

/** `work` is done again after a conflict on PostgreSQL, so it must change nothing but the database. */
export async function transact<T>(
  database: Database,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let following: (() => void)[] = [];
  const result = await database.$transaction((client) => {
    following = [];
    return work({ client, afterCommit: (next) => void following.push(next) });
  });
  for (const next of following) next();
  return result;
}
