import type { ResultSet } from "@libsql/client";
import type Sqlite from "libsql";
import { atEndOfTick } from "~/platform/end-of-tick.server";
import { primaryCodeOf, sqliteBusy, whenNotBusy } from "./sqlite-queue.server";
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
 * Statements outside of any transaction. Each begins one with the lock: were it refused for a lock itself, the driver would
 * leave it half-run, and nothing after it would be committed until the garbage collector finds it.
 */
export function createSingleWrites({ sqlite, execute, queue }: SingleWritesOptions) {
  let waiting: Waiting[] = [];

  function executeAll(group: readonly Waiting[]): Outcome[] {
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

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      settle(group, await whenNotBusy(queue, () => executeAll(group)));
    } catch (error) {
      const isOfAll = group.length === 1 || primaryCodeOf(error) === sqliteBusy;
      if (isOfAll) for (const { reject } of group) reject(error);
      // All was rolled back for one of them: a large one on a disk that is nearly full. Each is tried by itself.
      else for (const one of group) await writeGroup([one]);
    }
  }

  function writeNext(): void {
    const group = waiting.slice(0, mostTogether);
    waiting = waiting.slice(mostTogether);
    if (waiting.length > 0) atEndOfTick("writes", writeNext);
    if (group.length > 0) void writeGroup(group);
  }

  /** What waits for the end of its tick, before the file is closed. */
  function writeWaiting(): void {
    const group = waiting;
    waiting = [];
    try {
      if (group.length > 0) settle(group, executeAll(group));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  return {
    write: (statement: Statement): Promise<ResultSet> =>
      new Promise((resolve, reject) => void writeGroup([{ statement, resolve, reject }])),
    /**
     * In one transaction with the others of this tick of the loop: the lock, and the pages that several of them write, cost
     * more than the statements. One that fails leaves the others alone.
     */
    writeTogether: (statement: Statement): Promise<ResultSet> =>
      new Promise((resolve, reject) => {
        if (waiting.push({ statement, resolve, reject }) === 1) atEndOfTick("writes", writeNext);
      }),
    writeWaiting,
  };
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
