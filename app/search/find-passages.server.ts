import type { Collection } from "./collections.store.server";
import type { Embedder } from "./embedder";
import { defaultNamespace } from "./knowledge-page";
import { toFilterSql } from "./metadata-filter";
import { isMissingTable } from "./passages.store.server";
import type { Passage, PassageStore } from "./passages.store.server";
import { toSearchWords } from "./search-words";
import type { PassageMatch, SearchQuestion } from "./search-store";

type FindOptions = Pick<SearchQuestion, "query" | "namespace" | "topK" | "filter" | "signal"> & {
  store: PassageStore;
  /** null: nobody here embeds by that model any more. */
  findEmbedder: (model: string) => Embedder | null;
  warn: (message: string, error: unknown) => void;
};

/** Of the weight of a question's words, the part that a passage must hold; less is a coincidence. */
const minCoverage = 0.12;
/** The rarest words of a question decide; the rest of a very long one would only cost time. */
const maxWords = 40;
/** What each side of the fusion brings along, so that they can agree on more than they would by chance. */
const minCandidates = 30;
const candidatesPerMatch = 2;
/** The usual constant of reciprocal rank fusion: how little the first ranks differ from the next ones. */
const rankConstant = 60;

/** Search by words and by vector in one namespace, fused by rank. An unknown namespace holds nothing. */
export async function findPassages(options: FindOptions): Promise<PassageMatch[]> {
  try {
    return await findOnce(options);
  } catch (error) {
    // The collection was replaced by a newer one while it was being asked.
    if (!isMissingTable(error)) throw error;
    return await findOnce(options);
  }
}

export async function listStoredNamespaces(store: PassageStore): Promise<string[]> {
  const stored = (await store.listCollections()).map(({ namespace }) => namespace);
  return [...new Set([defaultNamespace, ...stored])];
}

async function findOnce(options: FindOptions): Promise<PassageMatch[]> {
  const { query, namespace, topK, filter, store } = options;
  const collection = (await store.listCollections()).find((its) => its.namespace === namespace);
  if (!collection) return [];
  const words = await weighWords(query, collection, store);
  const { comparesWords, ...embedded } = await embedQuestion(collection, options);
  const ranked = await store.rank({
    collection,
    words: words.map(({ word }) => word),
    ...embedded,
    filter: filter ? toFilterSql(filter) : null,
    limit: Math.max(minCandidates, topK * candidatesPerMatch),
  });
  const found = await store.readPassages(collection, [...new Set([...ranked.byWords, ...ranked.byVector])]);
  const passages = new Map(
    found.map((passage) => [passage.rowId, { ...passage, coverage: coverageOf(passage, words) }]),
  );
  const isAbout = (id: number) => (passages.get(id)?.coverage ?? 0) >= minCoverage;
  // What shares no whole word may still share most of one, misspelled: that is what such vectors are for.
  const isNear = (id: number) => !comparesWords || passages.get(id)?.coverage === 0 || isAbout(id);
  const byVector = ranked.byVector.filter((id) => passages.has(id) && isNear(id));
  return fuseRanks(ranked.byWords.filter(isAbout), byVector, comparesWords ? 0.5 : 1)
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
  const { passages, holding } = await store.countWords(collection, words);
  return words
    .map((word) => {
      const count = holding.get(word) ?? 0;
      return { word, weight: Math.log(1 + (passages - count + 0.5) / (count + 0.5)) };
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxWords);
}

/** Which part of the question's weight a passage holds, from 0 to 1. */
function coverageOf({ text, metadata: { title, heading } }: Passage, words: readonly Weighed[]): number {
  const weigh = (some: readonly Weighed[]) => some.reduce((sum, { weight }) => sum + weight, 0);
  const whole = weigh(words);
  if (whole === 0) return 0;
  const held = new Set(toSearchWords(`${String(title)} ${String(heading)} ${text}`));
  return weigh(words.filter(({ word }) => held.has(word))) / whole;
}

/** By the namespace's own model. Where that cannot be asked, words alone find what they can. */
async function embedQuestion(collection: Collection, { query, signal, findEmbedder, warn }: FindOptions) {
  const embedder = findEmbedder(collection.model);
  const without = { vector: null, minSimilarity: 1, comparesWords: true };
  if (!embedder) return without;
  const { minSimilarity, comparesWords } = embedder;
  try {
    const [vector = null] = await embedder.embed({ texts: [query], signal });
    return vector?.length === collection.dimension ? { vector, minSimilarity, comparesWords } : without;
  } catch (error) {
    if (signal?.aborted) throw error;
    warn("question embedding failed; searching by words alone", error);
    return without;
  }
}

/**
 * Reciprocal rank fusion of two orders, best first. The score is 1 for what is first in both and, at equal weights, 0.5
 * for what is first in one and missing from the other. Equal scores go in the order of the first list.
 */
export function fuseRanks<Id>(first: readonly Id[], second: readonly Id[], secondWeight = 1) {
  const scores = new Map<Id, number>();
  const add = (order: readonly Id[], weight: number) => {
    for (const [index, id] of order.entries()) {
      const score = (weight * (rankConstant + 1)) / (rankConstant + 1 + index) / (1 + secondWeight);
      scores.set(id, (scores.get(id) ?? 0) + score);
    }
  };
  add(first, 1);
  add(second, secondWeight);
  // The map holds the first list's ids in their order, and sorting keeps it among equals.
  return [...scores]
    .map(([id, score]) => ({ id, score: Math.round(score * 10_000) / 10_000 }))
    .sort((one, other) => other.score - one.score);
}
