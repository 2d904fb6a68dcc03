import type { Database } from "~/platform/database/database.server";

export type RevokedProofStore = ReturnType<typeof createRevokedProofStore>;

/** Two wallets may sign the same older envelope, so a proof counts for the wallet that signed it. In lower case. */
export type WalletProof = { wallet: string; proofHash: string };

/** Proofs whose holder signed out; `findKeyState` looks here too. */
export function createRevokedProofStore(database: Database) {
  return {
    async revokeProof({
      proofHash,
      wallet,
      expiresAtMs,
    }: WalletProof & { expiresAtMs: number }): Promise<void> {
      await database.$executeRaw`
        INSERT INTO "RevokedProof" ("proofHash", "wallet", "expiresAtMs")
        VALUES (${proofHash}, ${wallet}, ${BigInt(expiresAtMs)})
        ON CONFLICT ("proofHash", "wallet") DO NOTHING`;
    },
  };
}
