import { setMaxListeners } from "node:events";
import type { Index, RecordMetadata } from "@pinecone-database/pinecone";
import { z } from "zod";
import type { Clock } from "~/platform/clock";
import { linkAbort } from "~/platform/linked-abort";
import { FetchFault, fetchBounded } from "./bounded-fetch.gateway.server";
import type { Embedder } from "./embedder";
import { createFairQueue } from "./fair-queue";
import { defaultNamespace } from "./knowledge-page";
import { SearchUnavailable } from "./search-store";
import type { PassageMatch, SearchQuestion, SearchStore } from "./search-store";

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

/** Questions that the service is asked at once, one of each client: it does the work, this process only waits for it. */
const slots = 8;
/** Beyond these nobody would wait for the answer any more. */
const maxWaitingEach = 20;
const maxWaiting = 100;

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
  const queue = createFairQueue({ slots, maxEach: maxWaitingEach, maxTotal: maxWaiting });
  const stopping = new AbortController();
  // One listener for each question under way is no leak.
  setMaxListeners(0, stopping.signal);

  /** Shared by all who ask at once, and so dropped for none of them who leaves; a failure is forgotten. */
  function readStats(index: string): Promise<Stats> {
    const before = known.get(index);
    if (before && clock() - before.readAtMs < statsLifeMs) return before.stats;
    const stats = openIndex(index, stopping.signal).then(askStats);
    known.set(index, { stats, readAtMs: clock() });
    stats.catch(() => known.delete(index));
    return stats;
  }

  async function answer(question: SearchQuestion & { signal: AbortSignal }): Promise<PassageMatch[]> {
    // An index that does not tell its dimension may still answer.
    const { dimension } = await readStats(question.index).catch(() => ({ dimension: null }));
    const vector = await embedQuestion(question, embedder);
    if (!vector) return [];
    if (dimension !== null && vector.length !== dimension) {
      throw new SearchUnavailable(
        "The index was filled with vectors of another model than the one that is configured.",
      );
    }
    return ask({ index: await openIndex(question.index, question.signal), question, vector });
  }

  return {
    vendor: "pinecone",
    indexes,
    async listNamespaces({ index }) {
      const { namespaces } = await inOurWords(() => readStats(index));
      return namespaces;
    },
    async search(question) {
      const { clientId } = question;
      const signals = question.signal ? [question.signal, stopping.signal] : [stopping.signal];
      const { controller, unlink } = linkAbort(signals);
      const { signal } = controller;
      try {
        const run = () => inOurWords(() => answer({ ...question, signal }), signal);
        return await queue.run({ clientId, signal, run });
      } finally {
        unlink();
      }
    },
    async stop() {
      stopping.abort(new SearchUnavailable("The search is being stopped."));
      await queue.close();
    },
  };
}

/** The client is loaded with the first question. It has no word for a signal, so that each question has its own. */
function createOpener({ apiKey, host, timeoutMs = 8_000, maxBytes = 8 * 1024 * 1024 }: PineconeOptions) {
  return async function openIndex(name: string, signal: AbortSignal): Promise<Index> {
    const fetchApi: typeof fetch = async (url, init) =>
      fetchBounded({ url: String(url), init: { ...init, signal }, limits: { timeoutMs, maxBytes } });
    const { Pinecone } = await import("@pinecone-database/pinecone");
    const client = new Pinecone({ apiKey, fetchApi, maxRetries: 0 });
    return client.index({ name, ...(host !== null && { host }) });
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

async function embedQuestion(question: SearchQuestion, embedder: Embedder) {
  const { query, signal } = question;
  const [vector = null] = await embedder.embed({ texts: [query], signal });
  return vector;
}

/** What the client throws can hold addresses and whole answers: the person who asks gets the gist. */
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
