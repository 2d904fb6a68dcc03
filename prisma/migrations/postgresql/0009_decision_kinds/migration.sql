-- AlterTable
ALTER TABLE "AccessDecision" ADD COLUMN     "keyKind" TEXT,
ADD COLUMN     "missing" TEXT;
