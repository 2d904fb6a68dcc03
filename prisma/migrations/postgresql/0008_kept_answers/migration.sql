-- CreateTable
CREATE TABLE "KeptAnswer" (
    "id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "conversationId" TEXT,
    "openFor" TEXT NOT NULL,
    "lastId" INTEGER NOT NULL DEFAULT 0,
    "usedTokens" INTEGER NOT NULL DEFAULT 0,
    "leaseExpiresAtMs" BIGINT NOT NULL,
    "stopAskedAtMs" BIGINT,
    "endingId" INTEGER,
    "concludedAtMs" BIGINT,
    "expiresAtMs" BIGINT,

    CONSTRAINT "KeptAnswer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "KeptPiece" (
    "answerId" TEXT NOT NULL,
    "firstId" INTEGER NOT NULL,
    "lastId" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "KeptPiece_pkey" PRIMARY KEY ("answerId","firstId")
);

-- CreateIndex
CREATE INDEX "KeptAnswer_openFor_idx" ON "KeptAnswer"("openFor");

-- CreateIndex
CREATE INDEX "KeptAnswer_expiresAtMs_idx" ON "KeptAnswer"("expiresAtMs");

-- CreateIndex
CREATE UNIQUE INDEX "KeptAnswer_owner_conversationId_key" ON "KeptAnswer"("owner", "conversationId");
