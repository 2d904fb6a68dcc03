import { z } from "zod";
import { tokenIdSchema } from "~/gate/keys/token-id";
import { defineTool, readingOnly } from "./tool";
import type { Tool } from "./tool";

export function createKeyStatusTool(gate: {
  readKeyStatus: (question: { tokenId: string }) => Promise<unknown>;
}): Tool {
  return defineTool({
    name: "key_status",
    description: "Tells whether a key exists, who owns it and whether it has been used, by its token id.",
    inputSchema: z.strictObject({
      tokenId: tokenIdSchema.describe("The key's token id, in decimal digits"),
    }),
    annotations: readingOnly,
    run: ({ input }) => gate.readKeyStatus(input),
  });
}
