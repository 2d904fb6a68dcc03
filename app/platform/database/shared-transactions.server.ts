import { AsyncResource } from "node:async_hooks";
import { isSqlite } from "./database.server";
import type { Database } from "./database.server";
import { transactDirectly } from "./direct-statements.server";
import type { TransactionStatements } from "./direct-statements.server";

type Work<T> = (transaction: TransactionStatements) => Promise<T>;
type Job = { work: Work<unknown>; resolve: (result: unknown) => void; reject: (error: unknown) => void };

type Transact = <T>(work: Work<T>) => Promise<T>;

const known = new WeakMap<Database, Transact>();

/** The same for all stores of a database. */
export function createSharedTransactions(database: Database): Transact {
  const transact = known.get(database) ?? shareTransactions(database);
  known.set(database, transact);
  return transact;
}

/**
 * Runs each work in a transaction. On SQLite, those of one tick of the loop share one and its sync to the disk. On
 * PostgreSQL that would hold everybody's locks for as long as the slowest takes.
 */
function shareTransactions(database: Database): Transact {
  const waiting: Job[] = [];

  async function runAll(jobs: readonly Job[]): Promise<void> {
    try {
      const results: unknown[] = [];
      await transactDirectly(database, async (transaction) => {
        for (const { work } of jobs) results.push(await work(transaction));
      });
      jobs.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      // All was rolled back. One that fails must not fail the others.
      if (jobs.length === 1) jobs[0]!.reject(error);
      else for (const job of jobs) await runAll([job]);
    }
  }

  return function transact<T>(work: Work<T>): Promise<T> {
    if (!isSqlite(database)) return transactDirectly(database, work);
    return new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void runAll(waiting.splice(0)));
      // Statements belong to the trace of their caller.
      const caller = new AsyncResource("SharedTransaction");
      const workForCaller: Work<T> = (transaction) => caller.runInAsyncScope(work, undefined, transaction);
      waiting.push({ work: workForCaller, resolve, reject } as Job);
    });
  };
}
