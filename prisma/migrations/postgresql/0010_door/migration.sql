-- CreateTable
CREATE TABLE "RevokedProof" (
    "proofHash" TEXT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,

    CONSTRAINT "RevokedProof_pkey" PRIMARY KEY ("proofHash")
);

-- CreateTable
CREATE TABLE "DoorCode" (
    "digest" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "startHash" TEXT NOT NULL,
    "claims" TEXT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,
    "spentAtMs" BIGINT,

    CONSTRAINT "DoorCode_pkey" PRIMARY KEY ("digest")
);

-- CreateIndex
CREATE INDEX "RevokedProof_expiresAtMs_idx" ON "RevokedProof"("expiresAtMs");

-- CreateIndex
CREATE INDEX "DoorCode_expiresAtMs_idx" ON "DoorCode"("expiresAtMs");
