import * as z from "zod";
import { writeContentText } from "~/content/content-text.server";
import type { GateServices } from "~/gate/create-gate.server";
import { tokenIdSchema } from "~/gate/kinds/token-id";
import { defineTool, readingOnly, requireToolHolder } from "./tool";
import type { Tool } from "./tool";

export type KeyToolsGate = Pick<GateServices, "readKeyStatus" | "readContentFor" | "useKey">;

/** `kindNames`: of kinds of keys, if they have names. */
export function createKeyTools(gate: KeyToolsGate, kindNames: readonly string[]): readonly Tool[] {
  return [
    createKeyStatusTool(gate, kindNames),
    defineTool({
      name: "get_gated_content",
      description:
        "Returns, as text, what the signed-in holder's own key opens: the welcome text, the words of the one-time form, and the audio with links that are valid for as long as an access token.",
      inputSchema: z.strictObject({}),
      requires: "holder",
      annotations: readingOnly,
      run: async ({ caller }) =>
        writeContentText(await gate.readContentFor({ holder: requireToolHolder(caller) })),
    }),
    defineTool({
      name: "mark_key_used",
      description:
        "Uses up the signed-in holder's own key, for good: from then on it opens nothing, and the access tokens made for it have ended. Only when the person has clearly asked for it.",
      inputSchema: z.strictObject({}),
      requires: "holder",
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      run: ({ caller }) => gate.useKey({ holder: requireToolHolder(caller) }),
    }),
  ];
}

type StatusGate = {
  readKeyStatus: (question: { tokenId: string; key?: string | undefined }) => Promise<unknown>;
};

export function createKeyStatusTool(gate: StatusGate, kindNames: readonly string[] = []): Tool {
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
