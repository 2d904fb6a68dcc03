-- What payments cost is counted in their own rows from here on; nobody reads the old windows of payments any more.
DELETE FROM "QuotaReservation" WHERE "kind" = 'crypto';
DELETE FROM "QuotaWindow" WHERE "kind" = 'crypto';

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Payment" (
    "chainId" BIGINT NOT NULL,
    "recipient" TEXT NOT NULL,
    "idempotencyKey" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "amountWei" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "rawTransaction" TEXT NOT NULL,
    "transactionHash" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "signedAtBlock" BIGINT,
    "blockNumber" BIGINT,
    "blockHash" TEXT,
    "addressCost" BIGINT,
    "totalCost" BIGINT,
    "createdAtMs" BIGINT NOT NULL,
    "countedAtMs" BIGINT NOT NULL,
    "finalAtMs" BIGINT,
    "toldAtMs" BIGINT,

    PRIMARY KEY ("chainId", "recipient", "idempotencyKey")
);
-- Payments of the former version:
-- What was called failed without a block was concluded from a receipt that was not there. It is open again.
-- Costs are amounts, rounded up; fees were not recorded.
-- No two rows can have one nonce unless somebody wrote them by hand. The paid one keeps it, or the oldest; the others
-- are kept under a negative number, and only their own receipt can decide them.
INSERT INTO "new_Payment" ("chainId", "recipient", "idempotencyKey", "payer", "amountWei", "state", "rawTransaction",
    "transactionHash", "nonce", "blockNumber", "addressCost", "totalCost", "createdAtMs", "countedAtMs", "finalAtMs")
SELECT "chainId", "recipient", "idempotencyKey", "payer", "amountWei",
    CASE WHEN "state" = 'failed' AND "blockNumber" IS NULL THEN 'signed' ELSE "state" END,
    "rawTransaction", "transactionHash",
    CASE WHEN ROW_NUMBER() OVER (
        PARTITION BY "chainId", "payer", "nonce"
        ORDER BY CASE WHEN "state" = 'paid' THEN 0 ELSE 1 END, "createdAtMs", "recipient", "idempotencyKey"
    ) = 1 THEN "nonce" ELSE -ROW_NUMBER() OVER (ORDER BY "chainId", "recipient", "idempotencyKey") END,
    "blockNumber",
    CAST(CAST("amountWei" AS REAL) / 1e12 AS INTEGER) + 1,
    CAST(CAST("amountWei" AS REAL) / 1e12 AS INTEGER) + 1,
    "createdAtMs", "createdAtMs",
    CASE WHEN "state" = 'signed' OR "blockNumber" IS NULL THEN NULL ELSE "createdAtMs" END
FROM "Payment";
DROP TABLE "Payment";
ALTER TABLE "new_Payment" RENAME TO "Payment";
CREATE INDEX "Payment_chainId_finalAtMs_idx" ON "Payment"("chainId", "finalAtMs");
CREATE INDEX "Payment_chainId_countedAtMs_idx" ON "Payment"("chainId", "countedAtMs");
CREATE UNIQUE INDEX "Payment_chainId_payer_nonce_key" ON "Payment"("chainId", "payer", "nonce");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
