-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN     "lastPiece" TEXT,
ADD COLUMN     "lastPieceFirstId" INTEGER;
