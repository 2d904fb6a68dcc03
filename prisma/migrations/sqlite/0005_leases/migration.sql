-- CreateTable
CREATE TABLE "Lease" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "holder" TEXT NOT NULL,
    "term" BIGINT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL
);
