// For kept answers alone, until their stores speak through Prisma's client as all others do.
import type { Prisma } from "~/generated/sqlite/client";
import type { Database } from "./database.server";
import { transact } from "./transactions.server";
import type { Transaction } from "./transactions.server";

type Value = string | number | bigint | null;
type Client = Pick<Prisma.TransactionClient, "$queryRaw" | "$executeRaw">;

export type Statements = {
  query: <Row extends object>(
    strings: TemplateStringsArray,
    ...parts: (Value | Prisma.Sql)[]
  ) => Promise<Row[]>;
  /** How many rows were changed. */
  execute: (strings: TemplateStringsArray, ...parts: (Value | Prisma.Sql)[]) => Promise<number>;
};

export type TransactionStatements = Statements & Transaction;

export type Figure = number | bigint | string;

export function statementsOf(client: Client): Statements {
  return {
    // Asynchronous functions: Prisma's own promises begin nothing until they are awaited.
    query: async <Row extends object>(strings: TemplateStringsArray, ...parts: (Value | Prisma.Sql)[]) =>
      await client.$queryRaw<Row[]>(strings, ...parts),
    execute: async (strings, ...parts) => await client.$executeRaw(strings, ...parts),
  };
}

export function transactWithStatements<T>(
  database: Database,
  work: (transaction: TransactionStatements) => Promise<T>,
): Promise<T> {
  return transact(database, (transaction) => work({ ...transaction, ...statementsOf(transaction.client) }));
}
