import { setTimeout as delay } from "node:timers/promises";
import { Prisma } from "~/generated/sqlite/client";
import { hasDriverKind } from "./outage.server";

/** More rounds than the pool has connections: of those that collide, one gets through in each round. */
const maxAttempts = 20;
const longestPauseMs = 20;

/** SQLite has no such conflicts: there writers queue. */
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

/** Prisma has a code of its own for statements it wrote. A raw one's error and a COMMIT's hold the driver's. */
function isWriteConflict(error: unknown): boolean {
  return isKnown(error, "P2034") || hasDriverKind(error, "TransactionWriteConflict");
}

/** A row with this key is there already, which is an answer. */
export function isUniqueConflict(error: unknown): boolean {
  return isKnown(error, "P2002") || hasDriverKind(error, "UniqueConstraintViolation");
}

/** Whether a row was not created because there is one with its key: an answer, and no failure. */
export function isTaken(error: unknown, model: Prisma.ModelName): boolean {
  return isKnown(error, "P2002") && error.meta?.["modelName"] === model;
}

function isKnown(error: unknown, code: string): error is Prisma.PrismaClientKnownRequestError {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
}
