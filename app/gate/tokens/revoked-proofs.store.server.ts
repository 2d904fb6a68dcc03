import type { Database } from "~/platform/database/database.server";
import { isTaken } from "~/platform/database/write-conflict.server";

export type RevokedProofStore = ReturnType<typeof createRevokedProofStore>;

/** Proofs whose holder signed out; `findKeyState` looks here too. */
export function createRevokedProofStore(database: Database) {
  return {
    async revokeProof({ proofHash, expiresAtMs }: { proofHash: string; expiresAtMs: number }): Promise<void> {
      const data = { proofHash, expiresAtMs: BigInt(expiresAtMs) };
      await database.revokedProof.create({ data }).catch((error: unknown) => {
        if (!isTaken(error, "RevokedProof")) throw error;
      });
    },
  };
}
