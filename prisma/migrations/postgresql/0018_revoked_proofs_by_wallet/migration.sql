-- AlterTable
ALTER TABLE "RevokedProof" DROP CONSTRAINT "RevokedProof_pkey",
ADD COLUMN     "wallet" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "RevokedProof_pkey" PRIMARY KEY ("proofHash", "wallet");

-- The rows that there were have it now.
ALTER TABLE "RevokedProof" ALTER COLUMN "wallet" DROP DEFAULT;
