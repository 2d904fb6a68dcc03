-- CreateTable
CREATE TABLE "Nonce" (
    "value" TEXT NOT NULL,
    "clientId" TEXT NOT NULL,
    "issuedAtMs" BIGINT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,
    "consumedAtMs" BIGINT,

    CONSTRAINT "Nonce_pkey" PRIMARY KEY ("value")
);

-- CreateTable
CREATE TABLE "SpentSignature" (
    "digest" TEXT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,

    CONSTRAINT "SpentSignature_pkey" PRIMARY KEY ("digest")
);

-- CreateTable
CREATE TABLE "UsedKey" (
    "chainId" BIGINT NOT NULL,
    "contractAddress" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "usedBy" TEXT NOT NULL,
    "usedAtMs" BIGINT NOT NULL,

    CONSTRAINT "UsedKey_pkey" PRIMARY KEY ("chainId","contractAddress","tokenId")
);

-- CreateTable
CREATE TABLE "KeyDeparture" (
    "chainId" BIGINT NOT NULL,
    "contractAddress" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "departedAtMs" BIGINT NOT NULL,

    CONSTRAINT "KeyDeparture_pkey" PRIMARY KEY ("chainId","contractAddress","tokenId","holder")
);

-- CreateTable
CREATE TABLE "Submission" (
    "id" TEXT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "contractAddress" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "messageHash" TEXT,
    "requestId" TEXT NOT NULL,
    "createdAtMs" BIGINT NOT NULL,

    CONSTRAINT "Submission_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Notification" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "createdAtMs" BIGINT NOT NULL,

    CONSTRAINT "Notification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "NotificationDelivery" (
    "notificationId" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAttemptAtMs" BIGINT NOT NULL,
    "claimedUntilMs" BIGINT,
    "claimedBy" TEXT,
    "deliveredAtMs" BIGINT,
    "lastError" TEXT,

    CONSTRAINT "NotificationDelivery_pkey" PRIMARY KEY ("notificationId","channel")
);

-- CreateTable
CREATE TABLE "ChainCursor" (
    "chainId" BIGINT NOT NULL,
    "contractAddress" TEXT NOT NULL,
    "blockNumber" BIGINT NOT NULL,
    "blockHash" TEXT NOT NULL,
    "updatedAtMs" BIGINT NOT NULL,

    CONSTRAINT "ChainCursor_pkey" PRIMARY KEY ("chainId","contractAddress")
);

-- CreateTable
CREATE TABLE "RateLimitWindow" (
    "key" TEXT NOT NULL,
    "startedAtMs" BIGINT NOT NULL,
    "points" INTEGER NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,

    CONSTRAINT "RateLimitWindow_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "RateLimitLog" (
    "key" TEXT NOT NULL,
    "hits" TEXT NOT NULL,
    "expiresAtMs" BIGINT NOT NULL,

    CONSTRAINT "RateLimitLog_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "Nonce_expiresAtMs_idx" ON "Nonce"("expiresAtMs");

-- CreateIndex
CREATE INDEX "SpentSignature_expiresAtMs_idx" ON "SpentSignature"("expiresAtMs");

-- CreateIndex
CREATE INDEX "KeyDeparture_departedAtMs_idx" ON "KeyDeparture"("departedAtMs");

-- CreateIndex
CREATE INDEX "Submission_createdAtMs_idx" ON "Submission"("createdAtMs");

-- CreateIndex
CREATE UNIQUE INDEX "Submission_chainId_contractAddress_tokenId_key" ON "Submission"("chainId", "contractAddress", "tokenId");

-- CreateIndex
CREATE INDEX "NotificationDelivery_deliveredAtMs_nextAttemptAtMs_idx" ON "NotificationDelivery"("deliveredAtMs", "nextAttemptAtMs");

-- CreateIndex
CREATE INDEX "RateLimitWindow_expiresAtMs_idx" ON "RateLimitWindow"("expiresAtMs");

-- CreateIndex
CREATE INDEX "RateLimitLog_expiresAtMs_idx" ON "RateLimitLog"("expiresAtMs");

-- AddForeignKey
ALTER TABLE "NotificationDelivery" ADD CONSTRAINT "NotificationDelivery_notificationId_fkey" FOREIGN KEY ("notificationId") REFERENCES "Notification"("id") ON DELETE CASCADE ON UPDATE CASCADE;
