import { z } from "zod";
import { defineTool, ToolFailure } from "./tool";
import type { Tool } from "./tool";

export type KeyStatus = {
  tokenId: string;
  exists: boolean;
  owner?: string | null;
  used: boolean;
  usedBy: string | null;
  usedAt: string | null;
};

/**
 * What anybody may know about a key. `readTokenStatus` may throw errors with a `detail` written for people, such
 * as refusals; that is passed on.
 */
export function createKeyStatusTool({
  readTokenStatus,
}: {
  readTokenStatus: (question: { tokenId: string }) => Promise<KeyStatus>;
}): Tool {
  return defineTool({
    name: "key_status",
    description: "Tells whether a key exists, who owns it and whether it has been used, by its token id.",
    inputSchema: z.strictObject({
      tokenId: z
        .union([z.string().regex(/^\d{1,78}$/, "A token id is decimal digits"), z.int().min(0)])
        .transform(String)
        .describe("The key's token id, in decimal digits"),
    }),
    run: async ({ input: { tokenId } }) => {
      try {
        return await readTokenStatus({ tokenId });
      } catch (error) {
        const detail = (error as { detail?: unknown } | null)?.detail;
        if (typeof detail === "string") throw new ToolFailure(detail, { cause: error });
        throw error;
      }
    },
  });
}
