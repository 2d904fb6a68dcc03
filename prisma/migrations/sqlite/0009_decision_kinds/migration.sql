-- AlterTable
ALTER TABLE "AccessDecision" ADD COLUMN "keyKind" TEXT;
ALTER TABLE "AccessDecision" ADD COLUMN "missing" TEXT;
