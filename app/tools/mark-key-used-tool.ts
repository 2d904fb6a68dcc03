import * as z from "zod";
import type { TokenHolder } from "~/gate/tokens/access-token.schema";
import { defineTool, requireToolHolder } from "./tool";
import type { Tool } from "./tool";

/** Cannot be undone. Only the caller's own key, which stands in the token, can be used up. */
export function createMarkKeyUsedTool(
  useKey: (holder: TokenHolder) => Promise<{ tokenId: string; usedBy: string; usedAt: string }>,
): Tool {
  return defineTool({
    name: "mark_key_used",
    description:
      "Uses up the signed-in holder's own key, for good: from then on it opens nothing, and the access tokens made for it have ended. Only when the person has clearly asked for it.",
    inputSchema: z.strictObject({}),
    requires: "holder",
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    run: ({ caller }) => useKey(requireToolHolder(caller)),
  });
}
