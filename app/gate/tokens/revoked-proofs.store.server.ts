import type { Database } from "~/platform/database/database.server";

export type RevokedProofStore = ReturnType<typeof createRevokedProofStore>;

/** Proofs whose holder signed out; `findKeyState` looks here too. */
export function createRevokedProofStore(database: Database) {
  return {
    async revokeProof({ proofHash, expiresAtMs }: { proofHash: string; expiresAtMs: number }): Promise<void> {
      await database.$executeRaw`
        INSERT INTO "RevokedProof" ("proofHash", "expiresAtMs") VALUES (${proofHash}, ${BigInt(expiresAtMs)})
        ON CONFLICT ("proofHash") DO NOTHING`;
    },
  };
}
