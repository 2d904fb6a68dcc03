import type { Collection } from "./collections.store.server";
import type { Embedder } from "./embedder";
import { defaultNamespace } from "./knowledge-page";
import { parseFilter } from "./metadata-filter";
import { isMissingTable } from "./passages.store.server";
import type { Passage, PassageStore } from "./passages.store.server";
import { fuseRanks } from "./rank-fusion";
import { toSearchWords } from "./search-words";
import type { PassageMatch, SearchQuestion } from "./search-store";

export type FindOptions = {
  store: PassageStore;
  /** null: nobody here embeds by that model any more. */
  findEmbedder: (model: string) => Embedder | null;
  warn: (message: string, error: unknown) => void;
};

type Question = Pick<SearchQuestion, "query" | "namespace" | "topK" | "filter" | "signal">;

/** Of the weight of a question's words, the part that a passage must hold; less is a chance meeting. */
const minCoverage = 0.12;
/** The rarest words of a question decide; the rest of a very long one would only cost time. */
const maxWords = 40;
/** What each side of the fusion brings along, so that they can agree on more than they would by chance. */
const minCandidates = 30;
const candidatesPerMatch = 2;

/** Search by words and by vector in one namespace, fused by rank. An unknown namespace holds nothing. */
export async function findPassages(question: Question & FindOptions): Promise<PassageMatch[]> {
  try {
    return await findOnce(question);
  } catch (error) {
    // The collection was replaced by a newer one while it was being asked.
    if (!isMissingTable(error)) throw error;
    return await findOnce(question);
  }
}

export async function listStoredNamespaces(store: PassageStore): Promise<string[]> {
  const stored = (await store.listCollections()).map(({ namespace }) => namespace);
  return [...new Set([defaultNamespace, ...stored])];
}

async function findOnce(options: Question & FindOptions): Promise<PassageMatch[]> {
  const { query, namespace, topK, filter, store } = options;
  const collection = (await store.listCollections()).find((its) => its.namespace === namespace);
  if (!collection) return [];
  const words = await weighWords(query, collection, store);
  const { vector, minSimilarity, comparesWords } = await embedQuestion({ ...options, collection });
  const ranked = await store.rank({
    collection,
    words: words.map(({ word }) => word),
    vector,
    minSimilarity,
    filter: filter ? parseFilter(filter) : null,
    limit: Math.max(minCandidates, topK * candidatesPerMatch),
  });
  const rowIds = [...new Set([...ranked.byWords, ...ranked.byVector])];
  const passages = new Map(
    (await store.readPassages({ collection, rowIds })).map((passage) => [passage.rowId, passage]),
  );
  const coverageOf = createCoverage(words);
  const coverage = new Map([...passages].map(([id, passage]) => [id, coverageOf(passage)]));
  const isAbout = (id: number) => coverage.get(id)! >= minCoverage;
  // What shares no whole word may still share most of one, misspelled: that is what such vectors are for.
  const isNear = (id: number) => !comparesWords || coverage.get(id) === 0 || isAbout(id);
  const known = (ids: readonly number[]) => ids.filter((id) => passages.has(id));
  return fuseRanks({
    first: known(ranked.byWords).filter(isAbout),
    second: known(ranked.byVector).filter(isNear),
    secondWeight: comparesWords ? 0.5 : 1,
  })
    .slice(0, topK)
    .map(({ id, score }) => {
      const { key, metadata } = passages.get(id)!;
      return { id: key, score, metadata };
    });
}

type Weighed = { word: string; weight: number };

/** The question's words, rarest first. A word that nobody here uses weighs most. */
async function weighWords(query: string, collection: Collection, store: PassageStore): Promise<Weighed[]> {
  const words = [...new Set(toSearchWords(query))];
  if (words.length === 0) return [];
  const { passages, holding } = await store.countWords({ collection, words });
  return words
    .map((word) => {
      const count = holding.get(word) ?? 0;
      return { word, weight: Math.log(1 + (passages - count + 0.5) / (count + 0.5)) };
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxWords);
}

/** Which part of the question's weight a passage holds, from 0 to 1. */
function createCoverage(words: readonly Weighed[]): (passage: Passage) => number {
  const whole = words.reduce((sum, { weight }) => sum + weight, 0);
  return ({ text, metadata: { title, heading } }) => {
    if (whole === 0) return 0;
    const held = new Set(toSearchWords(`${String(title)} ${String(heading)} ${text}`));
    return words.reduce((sum, { word, weight }) => sum + (held.has(word) ? weight : 0), 0) / whole;
  };
}

/** By the namespace's own model. Where that cannot be asked, words alone find what they can. */
async function embedQuestion({
  query,
  signal,
  collection,
  findEmbedder,
  warn,
}: Question & FindOptions & { collection: Collection }) {
  const embedder = findEmbedder(collection.model);
  const without = { vector: null, minSimilarity: 1, comparesWords: true };
  if (!embedder) return without;
  const { minSimilarity, comparesWords } = embedder;
  try {
    const [vector = null] = await embedder.embed({ texts: [query], signal });
    if (vector?.length !== collection.dimension) return without;
    return { vector, minSimilarity, comparesWords };
  } catch (error) {
    if (signal?.aborted) throw error;
    warn("A question could not be embedded; it is answered by its words alone", error);
    return without;
  }
}
