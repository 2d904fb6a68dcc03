import { setTimeout as delay } from "node:timers/promises";
import type { SqlDriverAdapterFactory } from "@prisma/driver-adapter-utils";
import { Prisma } from "~/generated/sqlite/client";
import type { PrismaClient } from "~/generated/sqlite/client";

/** More rounds than the pool has connections: of those that collide, one gets through in each round. */
const maxAttempts = 20;
const longestPauseMs = 20;

/**
 * Runs a transaction that PostgreSQL aborted for a deadlock or a conflict again as a whole, so what is given to
 * `$transaction` must change nothing but the database. SQLite has no such conflicts: there writers queue.
 */
export function retryTransactions(database: PrismaClient): PrismaClient {
  const transact = database.$transaction.bind(database) as (...parameters: unknown[]) => Promise<unknown>;
  const $transaction = (...parameters: unknown[]) => retryWriteConflicts(() => transact(...parameters));
  // eslint-disable-next-line no-restricted-syntax -- An extended client has a type of its own, without `$on`, which nobody calls here.
  return database.$extends({ client: { $transaction } }) as unknown as PrismaClient;
}

/** The same for a statement that is a transaction of its own. What is inside of a larger one is left to that. */
export function retryStatements(factory: SqlDriverAdapterFactory): SqlDriverAdapterFactory {
  const { provider, adapterName } = factory;
  return {
    provider,
    adapterName,
    async connect() {
      const adapter = await factory.connect();
      const { queryRaw, executeRaw } = adapter;
      adapter.queryRaw = (query) => retryWriteConflicts(() => queryRaw.call(adapter, query));
      adapter.executeRaw = (query) => retryWriteConflicts(() => executeRaw.call(adapter, query));
      return adapter;
    },
  };
}

export async function retryWriteConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts === maxAttempts || !isWriteConflict(error)) throw error;
      await delay(Math.random() * longestPauseMs);
    }
  }
}

/** Whether a row was not created because there is one with its key: an answer, and no failure. */
export function isTaken(error: unknown, model: Prisma.ModelName): boolean {
  const isUniqueConflict = error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
  return isUniqueConflict && error.meta?.["modelName"] === model;
}

/**
 * Prisma has a code of its own for statements it wrote; for raw ones the driver's word is inside. A COMMIT's failure,
 * and one that Prisma has not seen yet, is the driver's own.
 */
function isWriteConflict(error: unknown): boolean {
  const { code, cause, meta } = error as PossibleConflict;
  return [cause, meta?.driverAdapterError?.cause].some(isConflictCause) || code === "P2034";
}

type PossibleConflict = {
  code?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: { cause?: unknown } };
};

function isConflictCause(cause: unknown): boolean {
  return (cause as { kind?: unknown } | null | undefined)?.kind === "TransactionWriteConflict";
}
