import path from "node:path";
import { Worker } from "node:worker_threads";
import { SearchUnavailable } from "./search-store";

export type SqlValue = string | number | null | Uint8Array;
export type SqlStatement = { sql: string; args?: readonly SqlValue[] };
export type SqlRow = Record<string, unknown>;

/**
 * One SQLite file, its own and apart from the service's database, asked through a thread. Statements that are
 * given together run in one transaction; the answer holds the rows of each.
 */
export type SearchDatabase = {
  read: (...statements: SqlStatement[]) => Promise<SqlRow[][]>;
  write: (statements: readonly SqlStatement[]) => Promise<void>;
  /** Whether this one now is the only one, in all processes, that may fill the file. */
  takeLock: () => Promise<boolean>;
  releaseLock: () => Promise<void>;
  close: () => Promise<void>;
};

/** Relative to the project's folder, where every command runs. */
const threadFile = "app/search/statement-thread.mjs";
/** Beyond this the thread is so far behind that whoever asks next has given up before it answers. */
const maxPending = 100;

type Reply = { id: number; value?: unknown; error?: { message: string; code?: string } };
type Pending = { resolve: (value: unknown) => void; reject: (error: Error) => void };

/** The file is opened with the first order, not before. */
export function openSearchDatabase({ file }: { file: string }): SearchDatabase {
  const pending = new Map<number, Pending>();
  let worker: Worker | null = null;
  let lastId = 0;
  let isClosed = false;

  function startThread(): Worker {
    const thread = new Worker(path.resolve(threadFile), { workerData: { file } });
    thread.on("message", ({ id, value, error }: Reply) => {
      const waiting = pending.get(id);
      pending.delete(id);
      // A thread that has nothing to do keeps no process alive.
      if (pending.size === 0) thread.unref();
      if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else waiting?.resolve(value);
    });
    const fail = (error: Error) => {
      if (worker === thread) worker = null;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    thread.on("error", fail);
    thread.on("exit", () => fail(new Error("The search thread has ended.")));
    return thread;
  }

  function order(message: { kind: string; statements?: readonly SqlStatement[] }): Promise<unknown> {
    if (isClosed) return Promise.reject(new SearchUnavailable("The search is being stopped."));
    if (pending.size >= maxPending) {
      return Promise.reject(new SearchUnavailable("The search is busy. Please ask again in a moment."));
    }
    return send(message);
  }

  function send(message: { kind: string; statements?: readonly SqlStatement[] }): Promise<unknown> {
    const thread = (worker ??= startThread());
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      thread.ref();
      thread.postMessage({ id, ...message });
    });
  }

  return {
    read: async (...statements) => (await order({ kind: "read", statements })) as SqlRow[][],
    write: async (statements) => void (await order({ kind: "write", statements })),
    takeLock: async () => (await order({ kind: "takeLock" })) as boolean,
    releaseLock: async () => void (await order({ kind: "releaseLock" })),
    async close() {
      if (isClosed) return;
      isClosed = true;
      if (worker) await send({ kind: "close" });
    },
  };
}
