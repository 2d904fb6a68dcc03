-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN "lastPiece" TEXT;
ALTER TABLE "KeptAnswer" ADD COLUMN "lastPieceFirstId" INTEGER;
