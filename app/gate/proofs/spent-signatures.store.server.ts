import type { Database } from "~/platform/database/database.server";
import { directStatements } from "~/platform/database/direct-statements.server";

/** From `expiresAtMs` on the signature is refused for its age. */
type SpentSignature = { digest: string; expiresAtMs: number };
export type SpentSignatureStore = ReturnType<typeof createSpentSignatureStore>;

export function createSpentSignatureStore(database: Database) {
  const { execute } = directStatements(database);
  return {
    /** True for exactly one, however many come at once. */
    async spendSignature({ digest, expiresAtMs }: SpentSignature): Promise<boolean> {
      const count = await execute`
        INSERT INTO "SpentSignature" ("digest", "expiresAtMs") VALUES (${digest}, ${BigInt(expiresAtMs)})
        ON CONFLICT ("digest") DO NOTHING`;
      return count === 1;
    },
  };
}
