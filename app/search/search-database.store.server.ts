import { setMaxListeners } from "node:events";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { linkAbort } from "~/platform/linked-abort";
import { createFairQueue } from "./fair-queue";
import { SearchUnavailable } from "./search-store";

export type SqlValue = string | number | null | Uint8Array;
export type SqlStatement = { sql: string; args?: readonly SqlValue[] };
export type SqlRow = Record<string, unknown>;

export type SqlReader = { read: (...statements: SqlStatement[]) => Promise<SqlRow[][]> };

/** Whose statements they are, and how long somebody waits for them. */
export type SqlClient = { clientId: string; signal?: AbortSignal };

/**
 * One SQLite file, its own and apart from the service's database, asked through a thread. Statements that are
 * given together run in one transaction; the answer holds the rows of each.
 */
export type SearchDatabase = SqlReader & {
  /** For a caller's question: clients share the thread, and statements are interrupted at their deadline. */
  readFor: (client: SqlClient) => SqlReader;
  write: (statements: readonly SqlStatement[]) => Promise<void>;
  /** Whether this one now is the only one, in all processes, that may fill the file. */
  takeLock: () => Promise<boolean>;
  releaseLock: () => Promise<void>;
  close: () => Promise<void>;
};

/** Relative to the project's folder, where every command runs. */
const threadFile = "app/search/statement-thread.mjs";
/** One client's statements never hold up another's while nobody else asks. */
const slots = 2;
/** Of one client; one search asks up to five times, one after the other. */
const maxWaitingEach = 20;
/** Beyond this the thread is so far behind that whoever asks next has given up before it answers. */
const maxWaiting = 100;
/** What the process itself asks: it waits for its turn like everybody, and as long as it takes. */
const ownClientId = "";
const tookTooLong = "The search took too long. Please ask for less, or with a simpler filter.";

type Order = { kind: string; statements?: readonly SqlStatement[]; limitMs?: number };
type Reply = { id: number; value?: unknown; error?: { message: string; code?: string } };
type Pending = { resolve: (value: unknown) => void; reject: (error: Error) => void };
type SearchDatabaseOptions = {
  file: string;
  /** How long the statements of one question may run, in milliseconds; what runs longer is interrupted. */
  limitMs?: number;
};

/** The file is opened with the first order, not before. */
export function openSearchDatabase({ file, limitMs = 2_000 }: SearchDatabaseOptions): SearchDatabase {
  const pending = new Map<number, Pending>();
  const queue = createFairQueue({ slots, maxEach: maxWaitingEach, maxTotal: maxWaiting });
  const stopping = new AbortController();
  // One listener for each question under way is no leak.
  setMaxListeners(0, stopping.signal);
  let worker: Worker | null = null;
  let lastId = 0;

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

  async function send(order: Order & { slot?: number }, signal?: AbortSignal): Promise<unknown> {
    const thread = (worker ??= startThread());
    const id = ++lastId;
    const interrupt = () => thread.postMessage({ id, kind: "interrupt" });
    try {
      return await new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        thread.ref();
        thread.postMessage({ id, ...order });
        signal?.addEventListener("abort", interrupt, { once: true });
      });
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_INTERRUPT") throw error;
      if (signal?.aborted) throw signal.reason;
      throw new SearchUnavailable(tookTooLong, { cause: error });
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  /** The process's own: it runs to its end, also when the database is being closed. */
  function order(message: Order): Promise<unknown> {
    const { signal } = new AbortController();
    return queue.run({ clientId: ownClientId, signal, run: (slot) => send({ ...message, slot }) });
  }

  async function readFor(client: SqlClient, statements: readonly SqlStatement[]): Promise<SqlRow[][]> {
    const signals = client.signal ? [client.signal, stopping.signal] : [stopping.signal];
    const { controller, unlink } = linkAbort(signals);
    const { signal } = controller;
    try {
      return await queue.run({
        clientId: client.clientId,
        signal,
        run: async (slot) => (await send({ kind: "read", statements, limitMs, slot }, signal)) as SqlRow[][],
      });
    } finally {
      unlink();
    }
  }

  return {
    read: async (...statements) => (await order({ kind: "read", statements })) as SqlRow[][],
    readFor: (client) => ({ read: (...statements) => readFor(client, statements) }),
    write: async (statements) => void (await order({ kind: "write", statements })),
    takeLock: async () => (await order({ kind: "takeLock" })) as boolean,
    releaseLock: async () => void (await order({ kind: "releaseLock" })),
    async close() {
      if (stopping.signal.aborted) return;
      stopping.abort(new SearchUnavailable("The search is being stopped."));
      await queue.close();
      if (worker) await send({ kind: "close" });
    },
  };
}
