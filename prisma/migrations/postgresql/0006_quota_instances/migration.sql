-- CreateTable
CREATE TABLE "QuotaInstance" (
    "instance" TEXT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,

    CONSTRAINT "QuotaInstance_pkey" PRIMARY KEY ("instance")
);

-- CreateIndex
CREATE INDEX "QuotaInstance_expiresAtMs_idx" ON "QuotaInstance"("expiresAtMs");
