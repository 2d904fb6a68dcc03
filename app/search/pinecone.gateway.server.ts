import type { Index, RecordMetadata } from "@pinecone-database/pinecone";
import * as z from "zod";
import type { Clock } from "~/platform/clock";
import type { Reader } from "./audience";
import { FetchFault, fetchBounded } from "./bounded-fetch.gateway.server";
import type { Embedder } from "./embedder";
import { createFairQueue } from "./fair-queue.server";
import { defaultNamespace } from "./knowledge-page";
import type { MetadataFilter } from "./metadata-filter";
import { SearchUnavailable } from "./search-store";
import type { PassageMatch, SearchQuestion, SearchStore } from "./search-store";

export type PineconeOptions = {
  apiKey: string;
  indexes: readonly [string, ...string[]];
  /** null: looked up by the index's name. */
  host: string | null;
  /** The model that the indexes were filled with. */
  embedder: Embedder;
  /** Of records whose metadata names none. */
  defaultAudience: Reader;
  clock: Clock;
  timeoutMs?: number;
  maxBytes?: number;
};

/** How long the description of an index, its dimension and its namespaces, is cached. */
const statsLifeMs = 60_000;
/** Concurrent questions, one of each client: the work is done elsewhere. */
const slots = 8;

const matchesSchema = z.array(
  z.object({
    id: z.string(),
    score: z.number().default(0),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  }),
);

type Stats = { dimension: number | null; namespaces: string[] };

/** The hosted store: the same questions to the operator's own Pinecone indexes, which it only reads. */
export function createPineconeSearch(options: PineconeOptions): SearchStore {
  const { indexes, embedder, defaultAudience, clock } = options;
  const known = new Map<string, { stats: Promise<Stats>; readAtMs: number }>();
  const queue = createFairQueue({ slots });

  /** Shared by concurrent callers, so no caller's leaving aborts it; a failure is not cached. */
  function readStats(index: string): Promise<Stats> {
    const before = known.get(index);
    if (before && clock() - before.readAtMs < statsLifeMs) return before.stats;
    const stats = openIndex(index, queue.stopping, options).then(askStats);
    known.set(index, { stats, readAtMs: clock() });
    stats.catch(() => known.delete(index));
    return stats;
  }

  async function answer(question: SearchQuestion, signal: AbortSignal): Promise<PassageMatch[]> {
    const { query, index } = question;
    // An index without a known dimension may still answer.
    const { dimension } = await readStats(index).catch(() => ({ dimension: null }));
    const [vector] = await embedder.embed({ texts: [query], signal });
    if (!vector) return [];
    if (dimension !== null && vector.length !== dimension) {
      throw new SearchUnavailable(
        "The index was filled with vectors of another model than the one that is configured.",
      );
    }
    const filter = restrictTo(question, defaultAudience);
    return ask(await openIndex(index, signal, options), { ...question, filter }, vector);
  }

  const search: SearchStore["search"] = ({ signal: asked, ...question }) =>
    queue.run({
      clientId: question.clientId,
      signal: asked,
      run: (_slot, signal) => inOurWords(() => answer(question, signal), signal),
    });

  return {
    vendor: "pinecone",
    indexes,
    listNamespaces: async ({ index }) => (await inOurWords(() => readStats(index))).namespaces,
    async hasPublicPages(question) {
      const matches = await search({ ...question, reader: "everyone", topK: 1, filter: undefined });
      return matches.length > 0;
    },
    search,
    stop: queue.close,
  };
}

/** The client is loaded with the first question. It takes no signal, so each question has a client of its own. */
async function openIndex(name: string, signal: AbortSignal, options: PineconeOptions): Promise<Index> {
  const { apiKey, host, timeoutMs = 8_000, maxBytes = 8 * 1024 * 1024 } = options;
  const fetchApi: typeof fetch = (url, init) =>
    fetchBounded(String(url), { ...init, signal, timeoutMs, maxBytes });
  const { Pinecone } = await import("@pinecone-database/pinecone");
  const client = new Pinecone({ apiKey, fetchApi, maxRetries: 0 });
  return client.index({ name, ...(host !== null && { host }) });
}

async function askStats(index: Index): Promise<Stats> {
  const { dimension, namespaces } = await index.describeIndexStats();
  // The default namespace is told without a name by older indexes.
  const names = Object.keys(namespaces ?? {}).filter((name) => name !== "");
  return { dimension: dimension ?? null, namespaces: [...new Set([defaultNamespace, ...names])] };
}

/** As the embedded store does it: what names no audience has the default, and one that is unknown shows to nobody. */
function restrictTo({ reader, filter }: SearchQuestion, defaultAudience: Reader): MetadataFilter {
  const named = { audience: { $in: reader === "holders" ? ["everyone", "holders"] : ["everyone"] } };
  const isDefaultReadable = reader === "holders" || defaultAudience === "everyone";
  const readable = isDefaultReadable ? { $or: [named, { audience: { $exists: false } }] } : named;
  return filter ? { $and: [filter, readable] } : readable;
}

async function ask(index: Index, { namespace, topK, filter }: SearchQuestion, vector: Float32Array) {
  const { matches } = await index.namespace(namespace).query({
    vector: Array.from(vector),
    topK,
    includeMetadata: true,
    includeValues: false,
    ...(filter && { filter: filter as RecordMetadata }),
  });
  const found = matchesSchema.parse(matches).slice(0, topK);
  return found.map(({ id, score, metadata }) => ({ id, score, metadata: metadata ?? {} }));
}

/** Errors of the client can hold addresses and whole answers, which no caller may see. */
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
  PineconeBadRequestError: "it does not understand the question",
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
