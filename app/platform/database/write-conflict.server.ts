import { setTimeout as delay } from "node:timers/promises";
import { Prisma } from "~/generated/sqlite/client";
import { hasDriverKind } from "./outage.server";

/** More than the pool has connections: of colliding transactions, one succeeds in each round. */
const maxAttempts = 20;
const longestPauseMs = 20;

/** SQLite has no such conflicts, because writers queue (decision 004). */
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

/** Prisma has its own code for statements it wrote. Raw statements and COMMITs keep the driver's. */
function isWriteConflict(error: unknown): boolean {
  return isKnown(error, "P2034") || hasDriverKind(error, "TransactionWriteConflict");
}

export function isUniqueConflict(error: unknown): boolean {
  return isKnown(error, "P2002") || hasDriverKind(error, "UniqueConstraintViolation");
}

/** Whether a row with this key exists already, which is no failure. */
export function isTaken(error: unknown, model: Prisma.ModelName): boolean {
  return isKnown(error, "P2002") && error.meta?.["modelName"] === model;
}

/** Both databases' clients share one runtime, so this class is also PostgreSQL's. */
function isKnown(error: unknown, code: string): error is Prisma.PrismaClientKnownRequestError {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
}
