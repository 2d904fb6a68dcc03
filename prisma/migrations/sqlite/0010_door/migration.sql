-- CreateTable
CREATE TABLE "RevokedProof" (
    "proofHash" TEXT NOT NULL PRIMARY KEY,
    "expiresAtMs" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "DoorCode" (
    "digest" TEXT NOT NULL PRIMARY KEY,
    "site" TEXT NOT NULL,
    "startHash" TEXT NOT NULL,
    "claims" TEXT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,
    "spentAtMs" BIGINT
);

-- CreateIndex
CREATE INDEX "RevokedProof_expiresAtMs_idx" ON "RevokedProof"("expiresAtMs");

-- CreateIndex
CREATE INDEX "DoorCode_expiresAtMs_idx" ON "DoorCode"("expiresAtMs");
