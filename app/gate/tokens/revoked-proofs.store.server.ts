import type { Database } from "~/platform/database/database.server";
import { isTaken } from "~/platform/database/write-conflict.server";

export type RevokedProofStore = ReturnType<typeof createRevokedProofStore>;

/** Two wallets may sign the same older envelope, so a proof counts for the wallet that signed it. In lower case. */
export type WalletProof = { wallet: string; proofHash: string };

/** Proofs whose holder signed out; `findKeyState` looks here too. */
export function createRevokedProofStore(database: Database) {
  return {
    async revokeProof({ expiresAtMs, ...proof }: WalletProof & { expiresAtMs: number }): Promise<void> {
      const data = { ...proof, expiresAtMs: BigInt(expiresAtMs) };
      await database.revokedProof.create({ data }).catch((error: unknown) => {
        if (!isTaken(error, "RevokedProof")) throw error;
      });
    },
  };
}
