-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN "headers" TEXT;
ALTER TABLE "KeptAnswer" ADD COLUMN "proofHash" TEXT;
