-- AlterTable
ALTER TABLE "ChainCursor" ADD COLUMN "blockSeconds" BIGINT NOT NULL DEFAULT 0;
