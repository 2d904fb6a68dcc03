import type { Database } from "~/platform/database/database.server";
import { isTaken } from "~/platform/database/write-conflict.server";

/** From `expiresAtMs` on the signature is refused for its age. */
type SpentSignature = { digest: string; expiresAtMs: number };
export type SpentSignatureStore = ReturnType<typeof createSpentSignatureStore>;

export function createSpentSignatureStore(database: Database) {
  return {
    /** True for exactly one, however many come at once. */
    async spendSignature({ digest, expiresAtMs }: SpentSignature): Promise<boolean> {
      try {
        await database.spentSignature.create({ data: { digest, expiresAtMs: BigInt(expiresAtMs) } });
        return true;
      } catch (error) {
        if (isTaken(error, "SpentSignature")) return false;
        throw error;
      }
    },
  };
}
