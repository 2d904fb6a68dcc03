import { setTimeout as delay } from "node:timers/promises";

/** More rounds than the pool has connections: of those that collide, one gets through in each round. */
const maxAttempts = 20;
const longestPauseMs = 20;

/**
 * Runs a transaction again when PostgreSQL undid it because of another one: a deadlock, or a stricter isolation level
 * than the usual one. Nothing of an undone transaction remains. SQLite has no such conflicts: there writers queue.
 */
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

/** Prisma has a code of its own for statements it wrote; for raw ones the driver's word is inside. */
function isWriteConflict(error: unknown): boolean {
  const { code, meta } = error as { code?: unknown; meta?: { driverAdapterError?: { cause?: unknown } } };
  const cause = meta?.driverAdapterError?.cause as { kind?: unknown } | undefined;
  return code === "P2034" || cause?.kind === "TransactionWriteConflict";
}
