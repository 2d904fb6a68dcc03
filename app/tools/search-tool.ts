import * as z from "zod";
import type { TokenHolder } from "~/gate/tokens/access-token.schema";
import { Refusal } from "~/platform/refusals/refusal";
import { isGatedNamespace } from "~/knowledge/gated-namespaces";
import { defaultNamespace, maxNamespaceChars, namespacePattern } from "~/knowledge/knowledge-page";
import type { Reader } from "~/knowledge/knowledge-page";
import { metadataFilterSchema } from "~/search/metadata-filter";
import { SearchUnavailable } from "~/search/search-store";
import type { PassageMatch, SearchQuestion, SearchStore } from "~/search/search-store";
import { defineTool, readingOnly, ToolFailure } from "./tool";
import type { Tool, ToolCaller } from "./tool";

const maxQueryChars = 1_000;
const maxIndexChars = 100;
const gatedScope = "tools";
/** Later matches come without metadata. */
const maxMetadataChars = 160 * 1024;

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

export type SearchToolOptions = {
  store: Pick<SearchStore, "vendor" | "indexes" | "hasPublicPages" | "search">;
  /** For holders only. */
  gatedNamespaces: readonly string[];
  /** Throws the gate's refusals. */
  requireHolder: (holder: TokenHolder) => Promise<void>;
};

/** The offline assistant recognizes it by the suffix `_search`. */
export function createSearchTool(options: SearchToolOptions): Tool {
  const { store } = options;
  return defineTool({
    name: `${store.vendor}_search`,
    description: "Searches the documents of this site's operator and returns the passages that fit best.",
    inputSchema: createInputSchema(store.indexes),
    annotations: readingOnly,
    run: async ({ input, caller, signal }): Promise<SearchResult> => {
      const { includeMetadata, filter = {}, ...asked } = input;
      if (!store.indexes.includes(asked.index)) {
        throw new ToolFailure(`There is no such index here. There is: ${store.indexes.join(", ")}.`);
      }
      const question: SearchQuestion = { ...asked, reader: "everyone", signal };
      if (Object.keys(filter).length > 0) question.filter = filter;
      try {
        const reader = await requireReader(question, caller, options);
        const matches = await store.search({ ...question, reader });
        return { ...asked, matches: fitMetadata(matches, includeMetadata ? maxMetadataChars : 0) };
      } catch (error) {
        if (error instanceof SearchUnavailable) throw new ToolFailure(error.message, { cause: error });
        throw error;
      }
    },
  });
}

function createInputSchema(indexes: SearchStore["indexes"]) {
  return z.strictObject({
    query: z
      .string("must be text: what to look for")
      .trim()
      .min(1, "must not be empty: say what to look for")
      .max(maxQueryChars, `must be at most ${maxQueryChars} characters long`)
      .describe("What to look for, in plain words"),
    index: z
      .string("must be text: the name of an index")
      .max(maxIndexChars, `must be at most ${maxIndexChars} characters long`)
      .default(indexes[0])
      .describe(`Which index to search: ${indexes.join(", ")}`),
    namespace: z
      .string("must be text: the name of a namespace")
      .max(maxNamespaceChars, `must be at most ${maxNamespaceChars} characters long`)
      .regex(namespacePattern, "A namespace is a name of printable characters")
      .default(defaultNamespace)
      .describe("Which part of the documents to search"),
    topK: z
      .int({
        error: ({ input }) =>
          `topK must be a whole number from 1 to 100${typeof input === "string" ? ", not text" : ""}`,
      })
      .min(1, "topK must be at least 1")
      .max(100, "topK must be at most 100")
      .default(5)
      .describe("How many passages to return"),
    includeMetadata: z
      .boolean("must be true or false")
      .default(true)
      .describe("Whether to return the passages' text and titles"),
    filter: metadataFilterSchema.optional(),
  });
}

/** A holder has a token for tools, and still holds its key. */
async function requireReader(
  question: SearchQuestion,
  caller: ToolCaller,
  options: SearchToolOptions,
): Promise<Reader> {
  let refusal: Refusal | null = null;
  if (caller?.scopes.includes(gatedScope)) {
    try {
      await options.requireHolder(caller);
      return "holders";
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusal = error;
    }
  }
  if (await isPublic(question, options)) return "everyone";
  if (refusal !== null) throw refusal;
  throw new ToolFailure(
    "There is no public namespace of that name. Some documents are only for holders who are signed in.",
  );
}

/** Takes the same time whether a namespace is gated, has no public page or doesn't exist. */
async function isPublic(question: SearchQuestion, { store, gatedNamespaces }: SearchToolOptions) {
  const { namespace } = question;
  const isGated = isGatedNamespace(namespace, gatedNamespaces);
  // The default namespace always exists.
  if (namespace === defaultNamespace && !isGated) return true;
  return (await store.hasPublicPages(question)) && !isGated;
}

function fitMetadata(matches: readonly PassageMatch[], maxChars: number): SearchResult["matches"] {
  let chars = 0;
  return matches.map(({ id, score, metadata }) => {
    chars += JSON.stringify(metadata).length;
    return { id, score, ...(chars <= maxChars && { metadata }) };
  });
}
