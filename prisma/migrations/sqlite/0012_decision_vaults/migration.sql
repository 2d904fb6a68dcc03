-- AlterTable
ALTER TABLE "AccessDecision" ADD COLUMN "vault" TEXT;
