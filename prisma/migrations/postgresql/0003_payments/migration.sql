-- CreateTable
CREATE TABLE "Payment" (
    "chainId" BIGINT NOT NULL,
    "recipient" TEXT NOT NULL,
    "idempotencyKey" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "amountWei" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "rawTransaction" TEXT NOT NULL,
    "transactionHash" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "blockNumber" BIGINT,
    "addressReservationId" TEXT NOT NULL,
    "dayReservationId" TEXT NOT NULL,
    "createdAtMs" BIGINT NOT NULL,

    CONSTRAINT "Payment_pkey" PRIMARY KEY ("chainId","recipient","idempotencyKey")
);

-- CreateTable
CREATE TABLE "PaymentLane" (
    "chainId" BIGINT NOT NULL,
    "payer" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "leaseUntilMs" BIGINT NOT NULL,

    CONSTRAINT "PaymentLane_pkey" PRIMARY KEY ("chainId","payer")
);

-- CreateIndex
CREATE INDEX "Payment_chainId_payer_state_idx" ON "Payment"("chainId", "payer", "state");
