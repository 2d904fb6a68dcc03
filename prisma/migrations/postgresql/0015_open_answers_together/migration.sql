-- DropIndex
DROP INDEX "KeptAnswer_expiresAtMs_idx";

-- DropIndex
DROP INDEX "KeptAnswer_openFor_idx";

-- DropIndex
DROP INDEX "KeptAnswer_owner_openConversation_key";

UPDATE "KeptAnswer" SET "openConversation" = "owner" || ' ' || "openConversation" WHERE "openConversation" IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "KeptAnswer_openConversation_key" ON "KeptAnswer"("openConversation");

-- CreateIndex
CREATE INDEX "KeptAnswer_openFor_expiresAtMs_idx" ON "KeptAnswer"("openFor", "expiresAtMs");
