import type { Index, Pinecone, RecordMetadata } from "@pinecone-database/pinecone";
import { z } from "zod";
import type { Clock } from "~/platform/clock";
import { FetchFault, fetchBounded } from "./bounded-fetch.gateway.server";
import type { Embedder } from "./embedder";
import { defaultNamespace } from "./knowledge-page";
import { SearchUnavailable } from "./search-store";
import type { SearchQuestion, SearchStore } from "./search-store";

export type PineconeOptions = {
  apiKey: string;
  indexes: readonly [string, ...string[]];
  /** null: looked up by the index's name. */
  host: string | null;
  /** Of the model that the indexes were filled with. */
  embedder: Embedder;
  clock: Clock;
  timeoutMs?: number;
  maxBytes?: number;
};

/** How long what an index says of itself, its dimension and its namespaces, is believed. */
const statsLifeMs = 60_000;

const matchesSchema = z.array(
  z.object({
    id: z.string(),
    score: z.number().default(0),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  }),
);

type Stats = { dimension: number | null; namespaces: string[] };

/** The hosted store: the same questions, asked of the operator's own Pinecone indexes, which it only reads. */
export function createPineconeSearch(options: PineconeOptions): SearchStore {
  const { indexes, embedder, clock } = options;
  const openIndex = createOpener(options);
  const known = new Map<string, { stats: Promise<Stats>; readAtMs: number }>();

  /** Shared by all who ask at once; a failure is forgotten. */
  function readStats(index: string): Promise<Stats> {
    const before = known.get(index);
    if (before && clock() - before.readAtMs < statsLifeMs) return before.stats;
    const stats = openIndex(index).then(askStats);
    known.set(index, { stats, readAtMs: clock() });
    stats.catch(() => known.delete(index));
    return stats;
  }

  return {
    vendor: "pinecone",
    indexes,
    async listNamespaces({ index }) {
      const { namespaces } = await inOurWords(() => readStats(index));
      return namespaces;
    },
    async search(question) {
      return inOurWords(async () => {
        // An index that does not tell its dimension may still answer.
        const { dimension } = await readStats(question.index).catch(() => ({ dimension: null }));
        const vector = await embedQuestion({ question, embedder });
        if (!vector) return [];
        if (dimension !== null && vector.length !== dimension) {
          throw new SearchUnavailable(
            "The index was filled with vectors of another model than the one that is configured.",
          );
        }
        return ask({ index: await openIndex(question.index), question, vector });
      });
    },
    stop: () => Promise.resolve(),
  };
}

/** The client is loaded and made with the first question. */
function createOpener({ apiKey, host, timeoutMs = 8_000, maxBytes = 8 * 1024 * 1024 }: PineconeOptions) {
  let client: Promise<Pinecone> | null = null;
  const fetchApi: typeof fetch = async (url, init) =>
    fetchBounded({ url: String(url), init: init ?? {}, limits: { timeoutMs, maxBytes } });

  async function makeClient(): Promise<Pinecone> {
    const { Pinecone: Client } = await import("@pinecone-database/pinecone");
    return new Client({ apiKey, fetchApi, maxRetries: 0 });
  }

  return async function openIndex(name: string): Promise<Index> {
    client ??= makeClient();
    return (await client).index({ name, ...(host !== null && { host }) });
  };
}

async function askStats(index: Index): Promise<Stats> {
  const { dimension, namespaces } = await index.describeIndexStats();
  // The default namespace is told without a name by older indexes.
  const names = Object.keys(namespaces ?? {}).filter((name) => name !== "");
  return { dimension: dimension ?? null, namespaces: [...new Set([defaultNamespace, ...names])] };
}

async function ask({
  index,
  question: { namespace, topK, filter },
  vector,
}: {
  index: Index;
  question: SearchQuestion;
  vector: Float32Array;
}) {
  const { matches } = await index.namespace(namespace).query({
    vector: Array.from(vector),
    topK,
    includeMetadata: true,
    includeValues: false,
    ...(filter && { filter: filter as RecordMetadata }),
  });
  return matchesSchema
    .parse(matches)
    .slice(0, topK)
    .map(({ id, score, metadata }) => ({ id, score, metadata: metadata ?? {} }));
}

async function embedQuestion({ question, embedder }: { question: SearchQuestion; embedder: Embedder }) {
  const { query, signal } = question;
  const [vector = null] = await embedder.embed({ texts: [query], signal });
  return vector;
}

/** What the client throws can hold addresses and whole answers: the person who asks gets the gist. */
async function inOurWords<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
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
