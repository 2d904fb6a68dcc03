-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN     "headers" TEXT,
ADD COLUMN     "proofHash" TEXT;
