import { z } from "zod";
import { tokenIdSchema } from "~/gate/keys/token-id";
import { defineTool, readingOnly } from "./tool";
import type { Tool } from "./tool";

export type KeyStatus = {
  tokenId: string;
  exists: boolean;
  /** Null where the key does not exist, and where the contract names no single owner (ERC-1155). */
  owner: string | null;
  used: boolean;
  usedBy: string | null;
  usedAt: string | null;
};

/** What anybody may know about a key. */
export function createKeyStatusTool({
  readKeyStatus,
}: {
  readKeyStatus: (question: { tokenId: string }) => Promise<KeyStatus>;
}): Tool {
  return defineTool({
    name: "key_status",
    description: "Tells whether a key exists, who owns it and whether it has been used, by its token id.",
    inputSchema: z.strictObject({
      tokenId: tokenIdSchema.describe("The key's token id, in decimal digits"),
    }),
    annotations: readingOnly,
    run: ({ input: { tokenId } }) => readKeyStatus({ tokenId }),
  });
}
