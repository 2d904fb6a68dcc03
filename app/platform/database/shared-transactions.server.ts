import { AsyncResource } from "node:async_hooks";
import type { Prisma } from "~/generated/sqlite/client";
import { isSqlite } from "./database.server";
import type { Database } from "./database.server";

type Work<T> = (transaction: Prisma.TransactionClient) => Promise<T>;
type Job = { work: Work<unknown>; resolve: (result: unknown) => void; reject: (error: unknown) => void };

/** Nothing else gets to the one connection meanwhile. */
const maxJobs = 32;

/**
 * Runs each work in a transaction. On SQLite, what is asked for in one tick of the loop shares a transaction and its one
 * sync to the disk, in the order in which it was asked for. On PostgreSQL, where commits of many connections are synced
 * together anyway, sharing would hold the locks of all for as long as the slowest.
 */
export function createSharedTransactions(database: Database) {
  let waiting: Job[] = [];

  function runWaiting(): void {
    const jobs = waiting;
    waiting = [];
    for (let at = 0; at < jobs.length; at += maxJobs) void runTogether(jobs.slice(at, at + maxJobs));
  }

  async function runTogether(jobs: readonly Job[]): Promise<void> {
    try {
      const results = await database.$transaction(async (transaction) => {
        const done: unknown[] = [];
        for (const { work } of jobs) done.push(await work(transaction));
        return done;
      });
      jobs.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      // All of it was rolled back. One that fails must not fail the others.
      if (jobs.length === 1) jobs[0]!.reject(error);
      else for (const job of jobs) await runTogether([job]);
    }
  }

  return function transact<T>(work: Work<T>): Promise<T> {
    if (!isSqlite(database)) return database.$transaction(work);
    return new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(runWaiting);
      // Statements belong to the trace of whoever asked.
      waiting.push({ work: AsyncResource.bind(work), resolve, reject } as Job);
    });
  };
}
