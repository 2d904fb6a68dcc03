-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN     "lastPieceFirstId" INTEGER,
ADD COLUMN     "lastPiece" TEXT;
