-- AlterTable
ALTER TABLE "AccessDecision" ADD COLUMN     "site" TEXT;
