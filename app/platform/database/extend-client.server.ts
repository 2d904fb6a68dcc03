import { Prisma } from "~/generated/sqlite/client";
import type { PrismaClient } from "~/generated/sqlite/client";
import { isUniqueConflict, retryWriteConflicts } from "./write-conflict.server";

type What = "statement" | "transaction";

export type DatabaseInstrument = {
  observe?: (call: { what: What; isFailed: boolean; durationSeconds: number }) => void;
};

/**
 * Times every statement and transaction. Retries what PostgreSQL aborted for a deadlock or a conflict, a transaction as
 * a whole. So `$transaction` must change nothing but the database.
 */
export function extendClient(client: PrismaClient, { observe }: DatabaseInstrument = {}): PrismaClient {
  /** `isResult`: whether the error is no failure of this call. */
  async function time<T>(what: What, work: () => Promise<T>, isResult: (error: unknown) => boolean) {
    const startedAtMs = performance.now();
    const end = (isFailed: boolean) =>
      observe?.({ what, isFailed, durationSeconds: (performance.now() - startedAtMs) / 1_000 });
    try {
      const result = await work();
      end(false);
      return result;
    } catch (error) {
      end(!isResult(error));
      throw error;
    }
  }

  const timing = Prisma.defineExtension({
    query: {
      $allOperations: ({ args, query }) => time("statement", () => query(args), isUniqueConflict),
    },
  });
  // A statement inside a transaction must not run again alone, so this client retries nothing.
  const timed = client.$extends(timing);
  const transact = timed.$transaction.bind(timed) as (...parameters: unknown[]) => Promise<unknown>;

  async function transactOnce(work: unknown, options: unknown[]): Promise<unknown> {
    // An error of the work itself is counted at its statement, or is the caller's own.
    let thrown: unknown;
    async function watched(transaction: unknown): Promise<unknown> {
      try {
        return await (work as (transaction: unknown) => unknown)(transaction);
      } catch (error) {
        thrown = error;
        throw error;
      }
    }
    const given = typeof work === "function" ? watched : work;
    return await time(
      "transaction",
      () => transact(given, ...options),
      (error) => error === thrown,
    );
  }

  // The first extension is the outermost, so every attempt is timed.
  const retrying = client
    .$extends({ query: { $allOperations: ({ args, query }) => retryWriteConflicts(() => query(args)) } })
    .$extends(timing)
    .$extends({
      client: {
        $transaction: (work: unknown, ...options: unknown[]) =>
          retryWriteConflicts(() => transactOnce(work, options)),
      },
    });
  // eslint-disable-next-line no-restricted-syntax -- The type of an extended client lacks `$on`, which nobody calls here.
  return retrying as unknown as PrismaClient;
}
