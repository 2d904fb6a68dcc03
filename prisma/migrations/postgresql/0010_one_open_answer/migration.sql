-- DropIndex
DROP INDEX "KeptAnswer_owner_conversationId_key";

-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN     "openConversation" TEXT,
ALTER COLUMN "openFor" DROP NOT NULL;

-- An answer that has a newer one in its conversation is read by its id alone.
UPDATE "KeptAnswer" SET "conversationId" = COALESCE("conversationId", ''),
  "openConversation" = CASE WHEN "expiresAtMs" IS NULL THEN "conversationId" END,
  "openFor" = CASE WHEN "expiresAtMs" IS NULL THEN "openFor" END;

ALTER TABLE "KeptAnswer" ALTER COLUMN "conversationId" SET NOT NULL;

-- CreateIndex
CREATE INDEX "KeptAnswer_owner_conversationId_idx" ON "KeptAnswer"("owner", "conversationId");

-- CreateIndex
CREATE UNIQUE INDEX "KeptAnswer_owner_openConversation_key" ON "KeptAnswer"("owner", "openConversation");
