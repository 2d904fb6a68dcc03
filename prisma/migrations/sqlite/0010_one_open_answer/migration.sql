-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_KeptAnswer" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "owner" TEXT NOT NULL,
    "conversationId" TEXT NOT NULL,
    "openConversation" TEXT,
    "openFor" TEXT,
    "lastId" INTEGER NOT NULL DEFAULT 0,
    "usedTokens" INTEGER NOT NULL DEFAULT 0,
    "leaseExpiresAtMs" BIGINT NOT NULL,
    "stopAskedAtMs" BIGINT,
    "endingId" INTEGER,
    "concludedAtMs" BIGINT,
    "expiresAtMs" BIGINT
);
-- An answer that has a newer one in its conversation is read by its id alone.
INSERT INTO "new_KeptAnswer" ("concludedAtMs", "conversationId", "openConversation", "endingId", "expiresAtMs", "id", "lastId", "leaseExpiresAtMs", "openFor", "owner", "stopAskedAtMs", "usedTokens") SELECT "concludedAtMs", COALESCE("conversationId", ''), CASE WHEN "expiresAtMs" IS NULL THEN "conversationId" END, "endingId", "expiresAtMs", "id", "lastId", "leaseExpiresAtMs", CASE WHEN "expiresAtMs" IS NULL THEN "openFor" END, "owner", "stopAskedAtMs", "usedTokens" FROM "KeptAnswer";
DROP TABLE "KeptAnswer";
ALTER TABLE "new_KeptAnswer" RENAME TO "KeptAnswer";
CREATE INDEX "KeptAnswer_owner_conversationId_idx" ON "KeptAnswer"("owner", "conversationId");
CREATE INDEX "KeptAnswer_openFor_idx" ON "KeptAnswer"("openFor");
CREATE INDEX "KeptAnswer_expiresAtMs_idx" ON "KeptAnswer"("expiresAtMs");
CREATE UNIQUE INDEX "KeptAnswer_owner_openConversation_key" ON "KeptAnswer"("owner", "openConversation");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
