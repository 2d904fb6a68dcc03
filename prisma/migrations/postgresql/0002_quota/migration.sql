-- CreateTable
CREATE TABLE "QuotaWindow" (
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "used" INTEGER NOT NULL,
    "windowStartMs" BIGINT NOT NULL,
    "resetAtMs" BIGINT NOT NULL,

    CONSTRAINT "QuotaWindow_pkey" PRIMARY KEY ("kind","subject")
);

-- CreateTable
CREATE TABLE "QuotaReservation" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "amount" INTEGER NOT NULL,
    "windowResetAtMs" BIGINT NOT NULL,
    "leaseUntilMs" BIGINT NOT NULL,
    "instance" TEXT NOT NULL,

    CONSTRAINT "QuotaReservation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AuditEntry" (
    "id" TEXT NOT NULL,
    "atMs" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "requestId" TEXT NOT NULL,
    "detail" TEXT NOT NULL,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "QuotaWindow_resetAtMs_idx" ON "QuotaWindow"("resetAtMs");

-- CreateIndex
CREATE INDEX "QuotaReservation_kind_subject_windowResetAtMs_idx" ON "QuotaReservation"("kind", "subject", "windowResetAtMs");

-- CreateIndex
CREATE INDEX "QuotaReservation_leaseUntilMs_idx" ON "QuotaReservation"("leaseUntilMs");

-- CreateIndex
CREATE INDEX "QuotaReservation_instance_idx" ON "QuotaReservation"("instance");

-- CreateIndex
CREATE INDEX "AuditEntry_atMs_idx" ON "AuditEntry"("atMs");
