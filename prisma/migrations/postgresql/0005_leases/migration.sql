-- CreateTable
CREATE TABLE "Lease" (
    "name" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "term" BIGINT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,

    CONSTRAINT "Lease_pkey" PRIMARY KEY ("name")
);
