import { z } from "zod";
import { defineTool, ToolFailure } from "./tool";
import type { Tool } from "./tool";
import { defaultNamespace } from "~/search/knowledge-page";
import type { PassageMatch } from "~/search/passage-index";

export const maxQueryChars = 1_000;

/** What a search tool answers, whichever store is behind it. */
export const searchResultSchema = z.object({
  query: z.string(),
  index: z.string(),
  namespace: z.string(),
  topK: z.number(),
  matches: z.array(
    z.object({ id: z.string(), score: z.number(), metadata: z.record(z.string(), z.unknown()).optional() }),
  ),
});

export type SearchResult = z.infer<typeof searchResultSchema>;

/** `name` ends in `_search`; that is how the retrieval-only assistant knows it. */
export function createSearchTool({
  name,
  search,
  gatedNamespaces = [],
}: {
  name: `${string}_search`;
  search: (question: { query: string; namespace: string; topK: number }) => Promise<PassageMatch[]>;
  /** Answered only to callers who signed in. */
  gatedNamespaces?: readonly string[];
}): Tool {
  return defineTool({
    name,
    description: "Searches the documents of this site's operator and returns the passages that fit best.",
    inputSchema: z.strictObject({
      query: z.string().trim().min(1).max(maxQueryChars).describe("What to look for, in plain words"),
      index: z.string().max(100).default("knowledge"),
      namespace: z.string().max(100).default(defaultNamespace),
      topK: z.int().min(1).max(100).default(5).describe("How many passages to return"),
      includeMetadata: z.boolean().default(true).describe("Whether to return the passages' text and titles"),
    }),
    run: async ({
      input: { query, index, namespace, topK, includeMetadata },
      caller,
    }): Promise<SearchResult> => {
      if (gatedNamespaces.includes(namespace) && caller === null) {
        throw new ToolFailure("These documents are only for holders who are signed in.");
      }
      const matches = await search({ query, namespace, topK });
      return {
        query,
        index,
        namespace,
        topK,
        matches: matches.map(({ id, score, ...metadata }) => ({
          id,
          score,
          ...(includeMetadata && { metadata }),
        })),
      };
    },
  });
}
