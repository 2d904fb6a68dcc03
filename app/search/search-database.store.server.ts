import path from "node:path";
import { Worker } from "node:worker_threads";
import { createFairQueue } from "./fair-queue.server";
import { SearchUnavailable } from "./search-store";
import type { SearchQuestion } from "./search-store";

export type SqlValue = string | number | null | Uint8Array;
export type SqlStatement = { sql: string; args?: readonly SqlValue[] };
export type SqlRow = Record<string, unknown>;
export type SqlReader = { read: (...statements: SqlStatement[]) => Promise<SqlRow[][]> };

/** Apart from the service's database, and asked through a thread. What is written together is one transaction. */
export type SearchDatabase = SqlReader & {
  /** For a caller's question: clients share the thread, and statements are interrupted at their deadline. */
  readFor: (client: Pick<SearchQuestion, "clientId" | "signal">) => SqlReader;
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
/** What the process itself asks waits for its turn like everybody, and takes as long as it takes. */
const ownClientId = "";

type Order = { kind: string; statements?: readonly SqlStatement[]; slot?: number; limitMs?: number };
type Reply = { id: number; value?: unknown; error?: { message: string; code?: string } };
type Pending = { resolve: (value: unknown) => void; reject: (error: Error) => void };

type SearchDatabaseOptions = {
  file: string;
  /** How long one question's statements may run before they are ended. */
  limitMs?: number;
  /** How long the thread, which holds some 10 MB, may have nothing to do before it is ended. */
  idleMs?: number;
};

export function openSearchDatabase({ file, limitMs = 2_000, idleMs = 10_000 }: SearchDatabaseOptions) {
  const queue = createFairQueue({ slots });
  const thread = createThread({ file, idleMs });

  async function send(order: Order, signal?: AbortSignal): Promise<unknown> {
    try {
      return await thread.send(order, signal);
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_INTERRUPT") throw error;
      signal?.throwIfAborted();
      throw new SearchUnavailable(
        "The search took too long. Please ask for less, or with a simpler filter.",
        {
          cause: error,
        },
      );
    }
  }

  /** The process's own: once begun it runs to its end, also when the database is being closed. */
  const order = (message: Order) =>
    queue.run({ clientId: ownClientId, run: (slot) => send({ ...message, slot }) });

  const database: SearchDatabase = {
    read: async (...statements) => (await order({ kind: "read", statements })) as SqlRow[][],
    readFor: (client) => ({
      read: (...statements) =>
        queue.run({
          ...client,
          run: async (slot, signal) =>
            (await send({ kind: "read", statements, slot, limitMs }, signal)) as SqlRow[][],
        }),
    }),
    write: async (statements) => void (await order({ kind: "write", statements })),
    takeLock: async () => (await order({ kind: "takeLock" })) as boolean,
    releaseLock: async () => void (await order({ kind: "releaseLock" })),
    async close() {
      if (queue.stopping.aborted) return;
      await queue.close();
      await thread.close();
    },
  };
  return database;
}

/** Started by an order, and ended when there was none for a while. */
function createThread({ file, idleMs }: { file: string; idleMs: number }) {
  const pending = new Map<number, Pending>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  /** The lock is the thread's, and would end with it. */
  let isLocked = false;
  /** Of the last thread that had nothing to do. */
  let ended: Promise<unknown> = Promise.resolve();
  let lastId = 0;

  function start(): Worker {
    const thread = new Worker(path.resolve(threadFile), { workerData: { file } });
    thread.on("message", ({ id, value, error }: Reply) => {
      const waiting = pending.get(id);
      pending.delete(id);
      if (pending.size === 0 && worker === thread) rest(thread);
      if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else waiting?.resolve(value);
    });
    const fail = (error: Error) => {
      if (worker !== thread) return;
      worker = null;
      isLocked = false;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    thread.on("error", fail);
    thread.on("exit", () => fail(new Error("The search thread has ended.")));
    return thread;
  }

  /** A thread that has nothing to do keeps no process alive. */
  function rest(thread: Worker): void {
    thread.unref();
    idle = setTimeout(() => {
      if (isLocked) return;
      worker = null;
      ended = new Promise((resolve) => thread.once("exit", resolve));
      // Until it has closed the file.
      thread.ref();
      thread.postMessage({ kind: "close" });
    }, idleMs).unref();
  }

  async function send(order: Order, signal?: AbortSignal): Promise<unknown> {
    clearTimeout(idle);
    const thread = (worker ??= start());
    const id = ++lastId;
    const interrupt = () => thread.postMessage({ id, kind: "interrupt" });
    try {
      const value = await new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        thread.ref();
        thread.postMessage({ id, ...order });
        signal?.addEventListener("abort", interrupt, { once: true });
      });
      if (order.kind === "takeLock") isLocked = value === true;
      if (order.kind === "releaseLock") isLocked = false;
      return value;
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  return {
    send,
    async close(): Promise<void> {
      if (worker) await send({ kind: "close" });
      await ended;
    },
  };
}
