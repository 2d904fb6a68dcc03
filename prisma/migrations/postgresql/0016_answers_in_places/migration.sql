-- Of those under way that an early version took the conversation from, so that each has one of its own.
UPDATE "KeptAnswer" SET "conversationId" = "id" WHERE "expiresAtMs" IS NULL AND "openConversation" IS NULL;

-- DropIndex
DROP INDEX "KeptAnswer_openConversation_key";

-- DropIndex
DROP INDEX "KeptAnswer_openFor_expiresAtMs_idx";

-- DropIndex
DROP INDEX "KeptAnswer_owner_conversationId_idx";

-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN     "place" INTEGER;

-- CreateIndex
CREATE INDEX "KeptAnswer_conversationId_idx" ON "KeptAnswer"("conversationId");

-- CreateIndex
CREATE UNIQUE INDEX "KeptAnswer_open_conversation_key" ON "KeptAnswer"("conversationId", "owner") WHERE "expiresAtMs" IS NULL;

-- CreateIndex
CREATE UNIQUE INDEX "KeptAnswer_open_place_key" ON "KeptAnswer"("openFor", "place") WHERE "expiresAtMs" IS NULL;

-- CreateIndex
CREATE INDEX "KeptAnswer_ended_expiresAtMs_idx" ON "KeptAnswer"("expiresAtMs") WHERE "expiresAtMs" IS NOT NULL;
