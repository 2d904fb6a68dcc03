-- AlterTable
ALTER TABLE "Submission" ADD COLUMN "handledAtMs" BIGINT;

-- CreateTable
CREATE TABLE "OperatorSession" (
    "digest" TEXT NOT NULL PRIMARY KEY,
    "clientId" TEXT NOT NULL,
    "startedAtMs" BIGINT NOT NULL,
    "seenAtMs" BIGINT NOT NULL,
    "endsAtMs" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "AccessDecision" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "atMs" BIGINT NOT NULL,
    "route" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "slug" TEXT,
    "reason" TEXT,
    "proof" TEXT,
    "address" TEXT,
    "tokenId" TEXT,
    "clientId" TEXT NOT NULL,
    "requestId" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "ActivityCount" (
    "spanSeconds" INTEGER NOT NULL,
    "startMs" BIGINT NOT NULL,
    "series" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,

    PRIMARY KEY ("spanSeconds", "startMs", "series")
);

-- CreateIndex
CREATE INDEX "OperatorSession_endsAtMs_idx" ON "OperatorSession"("endsAtMs");

-- CreateIndex
CREATE INDEX "AccessDecision_atMs_idx" ON "AccessDecision"("atMs");

-- CreateIndex
CREATE INDEX "AccessDecision_tokenId_atMs_idx" ON "AccessDecision"("tokenId", "atMs");

-- CreateIndex
CREATE INDEX "AccessDecision_address_atMs_idx" ON "AccessDecision"("address", "atMs");

-- CreateIndex
CREATE INDEX "AuditEntry_kind_atMs_idx" ON "AuditEntry"("kind", "atMs");

-- CreateIndex
CREATE INDEX "Notification_createdAtMs_idx" ON "Notification"("createdAtMs");

-- CreateIndex
CREATE INDEX "Submission_handledAtMs_createdAtMs_idx" ON "Submission"("handledAtMs", "createdAtMs");

-- CreateIndex
CREATE INDEX "UsedKey_usedAtMs_idx" ON "UsedKey"("usedAtMs");
