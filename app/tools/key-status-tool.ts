import * as z from "zod";
import { tokenIdSchema } from "~/gate/kinds/token-id";
import { defineTool, readingOnly } from "./tool";
import type { Tool } from "./tool";

type KeyGate = {
  readKeyStatus: (question: { tokenId: string; key?: string | undefined }) => Promise<unknown>;
};

/** `kindNames`: of kinds of keys, where they have any. */
export function createKeyStatusTool(gate: KeyGate, kindNames: readonly string[] = []): Tool {
  const tokenId = tokenIdSchema.describe("The key's token id, in decimal digits");
  const key = z
    .enum(kindNames, `key must be one of: ${kindNames.join(", ")}`)
    .optional()
    .describe(`Which kind of key; by default ${kindNames[0] ?? "the only one"}`);
  const inputSchema: z.ZodType<{ tokenId: string; key?: string | undefined }> & z.ZodObject =
    kindNames.length === 0 ? z.strictObject({ tokenId }) : z.strictObject({ tokenId, key });
  return defineTool({
    name: "key_status",
    description: "Tells whether a key exists, who owns it and whether it has been used, by its token id.",
    inputSchema,
    annotations: readingOnly,
    run: ({ input }) => gate.readKeyStatus(input),
  });
}
