-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_RevokedProof" (
    "proofHash" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,

    PRIMARY KEY ("proofHash", "wallet")
);
INSERT INTO "new_RevokedProof" ("expiresAtMs", "proofHash", "wallet") SELECT "expiresAtMs", "proofHash", '' FROM "RevokedProof";
DROP TABLE "RevokedProof";
ALTER TABLE "new_RevokedProof" RENAME TO "RevokedProof";
CREATE INDEX "RevokedProof_expiresAtMs_idx" ON "RevokedProof"("expiresAtMs");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
