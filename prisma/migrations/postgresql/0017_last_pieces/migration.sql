-- DropIndex
DROP INDEX "KeptAnswer_conversationId_idx";

-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN     "lastPieceFirstId" INTEGER,
ADD COLUMN     "lastPiece" TEXT;

-- CreateIndex
CREATE INDEX "KeptAnswer_ended_conversationId_idx" ON "KeptAnswer"("conversationId") WHERE ("expiresAtMs" IS NOT NULL);
