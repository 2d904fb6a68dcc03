import type { Index, RecordMetadata } from "@pinecone-database/pinecone";
import * as z from "zod";
import { FetchFault, fetchBounded } from "~/platform/providers/bounded-fetch.gateway.server";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { defaultNamespace } from "~/knowledge/knowledge-page";
import type { Reader } from "~/knowledge/knowledge-page";
import type { MetadataFilter } from "./metadata-filter";
import { SearchUnavailable } from "./search-store";
import type { PassageMatch, SearchQuestion, SearchStore } from "./search-store";

type PineconeOptions = {
  apiKey: string;
  indexes: readonly [string, ...string[]];
  /** Null to look it up by the index's name. */
  host: string | null;
  embedder: Embedder;
  defaultAudience: Reader;
  timeoutMs?: number;
  maxBytes?: number;
};

const matchesSchema = z.array(
  z.object({
    id: z.string(),
    score: z.number().default(0),
    metadata: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((metadata) => metadata ?? {}),
  }),
);

/** The operator's own Pinecone indexes, read only. */
export function createPineconeSearch(options: PineconeOptions): SearchStore {
  const { indexes, embedder, defaultAudience } = options;
  const stopping = new AbortController();

  async function search(question: SearchQuestion): Promise<PassageMatch[]> {
    const { query, namespace, topK, signal = stopping.signal } = question;
    return await inOurWords(async () => {
      const [vector] = await embedder.embed({ texts: [query], signal });
      if (!vector) return [];
      const index = await openIndex(question.index, signal, options);
      const { matches } = await index.namespace(namespace).query({
        vector: Array.from(vector),
        topK,
        includeMetadata: true,
        includeValues: false,
        filter: restrictTo(question, defaultAudience) as RecordMetadata,
      });
      return matchesSchema.parse(matches).slice(0, topK);
    }, signal);
  }

  return {
    vendor: "pinecone",
    indexes,
    listNamespaces: (name) =>
      inOurWords(async () => {
        const { namespaces } = await (await openIndex(name, stopping.signal, options)).describeIndexStats();
        // Older indexes have an empty name for the default.
        return [...new Set([defaultNamespace, ...Object.keys(namespaces ?? {}).filter(Boolean)])];
      }),
    async hasPublicPages(question) {
      const matches = await search({ ...question, reader: "everyone", topK: 1, filter: undefined });
      return matches.length > 0;
    },
    search,
    stop: async () => stopping.abort(),
  };
}

/** Loads the package with the first question. A client takes no signal, so each question has its own. */
async function openIndex(name: string, signal: AbortSignal, options: PineconeOptions): Promise<Index> {
  const { apiKey, host, timeoutMs = 8_000, maxBytes = 8 * 1024 * 1024 } = options;
  const fetchApi: typeof fetch = (url, init) =>
    fetchBounded(String(url), { ...init, signal, timeoutMs, maxBytes });
  const { Pinecone } = await import("@pinecone-database/pinecone");
  const client = new Pinecone({ apiKey, fetchApi, maxRetries: 0 });
  return client.index({ name, ...(host !== null && { host }) });
}

/** Like the embedded store. Nobody finds records with an unknown audience. */
function restrictTo({ reader, filter }: SearchQuestion, defaultAudience: Reader): MetadataFilter {
  const named = { audience: { $in: reader === "holders" ? ["everyone", "holders"] : ["everyone"] } };
  const isDefaultReadable = reader === "holders" || defaultAudience === "everyone";
  const readable = isDefaultReadable ? { $or: [named, { audience: { $exists: false } }] } : named;
  return filter ? { $and: [filter, readable] } : readable;
}

/** The client's errors may have addresses and response bodies. */
async function inOurWords<T>(body: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await body();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SearchUnavailable) throw error;
    throw new SearchUnavailable(`The search service cannot be used: ${tellFault(error)}.`, { cause: error });
  }
}

const wordsByName: Readonly<Record<string, string>> = {
  PineconeAuthorizationError: "it does not accept this server's key",
  PineconeNotFoundError: "it does not know the index",
  PineconeBadRequestError: "it refuses the question. Did the model in EMBEDDING_MODEL fill the index?",
};

function tellFault(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof FetchFault) return at.message;
    const words = wordsByName[at.name];
    if (words) return words;
    if (/\b429\b/.test(at.message)) return "it is asked too often just now";
  }
  return "it failed";
}
