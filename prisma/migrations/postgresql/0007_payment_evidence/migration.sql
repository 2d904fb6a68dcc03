-- What payments cost is counted in their own rows from here on; nobody reads the old windows of payments any more.
DELETE FROM "QuotaReservation" WHERE "kind" = 'crypto';
DELETE FROM "QuotaWindow" WHERE "kind" = 'crypto';

-- DropIndex
DROP INDEX "Payment_chainId_payer_state_idx";

-- AlterTable
ALTER TABLE "Payment" DROP COLUMN "addressReservationId",
DROP COLUMN "dayReservationId",
ADD COLUMN     "addressCost" BIGINT,
ADD COLUMN     "blockHash" TEXT,
ADD COLUMN     "countedAtMs" BIGINT,
ADD COLUMN     "finalAtMs" BIGINT,
ADD COLUMN     "signedAtBlock" BIGINT,
ADD COLUMN     "toldAtMs" BIGINT,
ADD COLUMN     "totalCost" BIGINT;

-- Payments of the former version:
-- What was called failed without a block was concluded from a receipt that was not there. It is open again.
-- Costs are amounts, rounded up; fees were not recorded.
UPDATE "Payment" SET
    "finalAtMs" = CASE WHEN "state" = 'signed' OR "blockNumber" IS NULL THEN NULL ELSE "createdAtMs" END,
    "state" = CASE WHEN "state" = 'failed' AND "blockNumber" IS NULL THEN 'signed' ELSE "state" END,
    "addressCost" = FLOOR("amountWei"::numeric / 1000000000000)::bigint + 1,
    "totalCost" = FLOOR("amountWei"::numeric / 1000000000000)::bigint + 1,
    "countedAtMs" = "createdAtMs";

-- No two rows can have one nonce unless somebody wrote them by hand. The paid one keeps it, or the oldest; the others
-- are kept under a negative number, and only their own receipt can decide them.
UPDATE "Payment" AS p SET "nonce" = -ranked."row"
FROM (
    SELECT "chainId", "recipient", "idempotencyKey",
        ROW_NUMBER() OVER (
            PARTITION BY "chainId", "payer", "nonce"
            ORDER BY CASE WHEN "state" = 'paid' THEN 0 ELSE 1 END, "createdAtMs", "recipient", "idempotencyKey"
        ) AS "place",
        ROW_NUMBER() OVER (ORDER BY "chainId", "recipient", "idempotencyKey") AS "row"
    FROM "Payment"
) AS ranked
WHERE ranked."place" > 1 AND p."chainId" = ranked."chainId" AND p."recipient" = ranked."recipient"
    AND p."idempotencyKey" = ranked."idempotencyKey";

-- AlterTable
ALTER TABLE "Payment" ALTER COLUMN "countedAtMs" SET NOT NULL;

-- CreateIndex
CREATE INDEX "Payment_chainId_finalAtMs_idx" ON "Payment"("chainId", "finalAtMs");

-- CreateIndex
CREATE INDEX "Payment_chainId_countedAtMs_idx" ON "Payment"("chainId", "countedAtMs");

-- CreateIndex
CREATE UNIQUE INDEX "Payment_chainId_payer_nonce_key" ON "Payment"("chainId", "payer", "nonce");
