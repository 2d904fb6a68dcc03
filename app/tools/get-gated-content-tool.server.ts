import * as z from "zod";
import type { TokenHolder } from "~/gate/tokens/access-token.schema";
import type { GatedContent } from "~/content/content.schema";
import { writeContentText } from "~/content/content-text.server";
import { defineTool, readingOnly, requireToolHolder } from "./tool";
import type { Tool } from "./tool";

/** The caller's own content and nobody else's: whose it is stands in the token, and no argument says otherwise. */
export function createGatedContentTool(readContent: (holder: TokenHolder) => Promise<GatedContent>): Tool {
  return defineTool({
    name: "get_gated_content",
    description:
      "Returns, as text, what the signed-in holder's own key opens: the welcome text, the words of the one-time form, and the audio with links that are valid for as long as an access token.",
    inputSchema: z.strictObject({}),
    requires: "holder",
    annotations: readingOnly,
    run: async ({ caller }) => writeContentText(await readContent(requireToolHolder(caller))),
  });
}
