-- CreateTable
CREATE TABLE "QuotaInstance" (
    "instance" TEXT NOT NULL PRIMARY KEY,
    "expiresAtMs" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "QuotaInstance_expiresAtMs_idx" ON "QuotaInstance"("expiresAtMs");
