import type { ResultSet } from "@libsql/client";
import type Sqlite from "libsql";
import { whenNotBusy } from "./sqlite-queue.server";
import type { Queue } from "./sqlite-queue.server";

export type Statement = { sql: string; args: unknown[] };

type Waiting = {
  statement: Statement;
  resolve: (result: ResultSet) => void;
  reject: (error: unknown) => void;
};
type Outcome = { result: ResultSet } | { error: unknown };

/** So that nobody waits for long while many write. */
const mostTogether = 100;

type SingleWritesOptions = {
  sqlite: Sqlite.Database;
  execute: (statement: Statement) => ResultSet;
  queue: Queue;
};

/**
 * For statements outside of any transaction. Those of one tick of the loop share one: its lock, and the pages it writes,
 * cost more than they do themselves. One that fails leaves the others alone.
 *
 * The transaction begins with the lock. Were a statement refused for a lock itself, the driver would leave it half-run, and
 * nothing after it would be committed until the garbage collector finds it.
 */
export function createSingleWrites({ sqlite, execute, queue }: SingleWritesOptions) {
  const waiting: Waiting[] = [];

  function executeTogether(group: readonly Waiting[]): Outcome[] {
    sqlite.exec("BEGIN IMMEDIATE");
    try {
      const outcomes = group.map(({ statement }) => attempt(statement));
      sqlite.exec("COMMIT");
      return outcomes;
    } catch (error) {
      if (isInTransaction(sqlite)) sqlite.exec("ROLLBACK");
      throw error;
    }
  }

  function attempt(statement: Statement): Outcome {
    try {
      return { result: execute(statement) };
    } catch (error) {
      // SQLite has rolled back by itself, and with it what the others wrote.
      if (!isInTransaction(sqlite)) throw error;
      return { error };
    }
  }

  async function writeNext(): Promise<void> {
    const group = waiting.splice(0, mostTogether);
    if (waiting.length > 0) setImmediate(() => void writeNext());
    try {
      settle(group, await whenNotBusy(queue, () => executeTogether(group)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** Before the file is closed. */
  function writeAll(): void {
    const group = waiting.splice(0);
    try {
      if (group.length > 0) settle(group, executeTogether(group));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  function write(statement: Statement): Promise<ResultSet> {
    return new Promise((resolve, reject) => {
      if (waiting.push({ statement, resolve, reject }) === 1) setImmediate(() => void writeNext());
    });
  }
  return { write, writeAll };
}

function settle(group: readonly Waiting[], outcomes: readonly Outcome[]): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[index]!;
    if ("result" in outcome) resolve(outcome.result);
    else reject(outcome.error);
  }
}

/** Asked of a closed database, the driver ends the process. */
export function isInTransaction(sqlite: Sqlite.Database): boolean {
  return sqlite.open && sqlite.inTransaction;
}
