-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN "lastPieceFirstId" INTEGER;
ALTER TABLE "KeptAnswer" ADD COLUMN "lastPiece" TEXT;
