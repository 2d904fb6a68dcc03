import { namespaceOf, shelfOf } from "./audience";
import type { Collection } from "./collections.store.server";
import type { Embedder } from "./embedder";
import { defaultNamespace } from "./knowledge-page";
import { toFilterSql } from "./metadata-filter";
import { isMissingTable } from "./passages.store.server";
import type { FoundPassage, PassageStore } from "./passages.store.server";
import { coverageOf, isGuessable, weighWords } from "./question-terms";
import type { AskedWord } from "./question-terms";
import { toSearchWords } from "./search-words";
import type { PassageMatch, SearchQuestion } from "./search-store";
import type { WarnLog } from "~/platform/log.server";

type FindOptions = Pick<SearchQuestion, "query" | "namespace" | "reader" | "topK" | "filter" | "signal"> & {
  store: PassageStore;
  /** null, or of another model than the namespace was made with: words alone find what they can. */
  embedder: Embedder | null;
  log: WarnLog;
};

/** The part of the weight of a question's words that a passage must hold; less is a coincidence. */
const minCoverage = 0.2;
/** The rarest words of a question decide; the rest of a very long one would only cost time. */
const maxAskedWords = 200;
const maxWords = 40;
const maxGuessedWords = 8;
/** What a passage gains by a neighbour on its page, of the neighbour's own score. */
const neighbourShare = 0.2;
/** What each side of the fusion brings along, so that they can agree on more than they would by chance. */
const minFused = 30;
const minRanked = 10;
const candidatesPerMatch = 2;
/** The usual constant of reciprocal rank fusion: how little the first ranks differ from the next ones. */
const rankConstant = 60;

/** Search by words and by vector on one shelf, fused by rank. An unknown namespace holds nothing. */
export async function findPassages(options: FindOptions): Promise<PassageMatch[]> {
  try {
    return await findOnce(options);
  } catch (error) {
    // The collection was replaced by a newer one since it was last asked.
    if (!isMissingTable(error)) throw error;
    options.store.forgetCollections();
    return await findOnce(options);
  }
}

export async function listStoredNamespaces(store: PassageStore): Promise<string[]> {
  const stored = (await store.listCollections()).map(({ shelf }) => namespaceOf(shelf));
  return [...new Set([defaultNamespace, ...stored])];
}

async function findOnce(options: FindOptions): Promise<PassageMatch[]> {
  const { query, namespace, reader, topK, filter, store } = options;
  const collection = await store.findCollection(shelfOf(reader, namespace));
  if (!collection) return [];
  const queryWords = [...new Set(toSearchWords(query))].slice(0, maxAskedWords);
  const vector = await embedQuestion(collection, options);
  if (queryWords.length === 0 && !vector) return [];
  const limit = Math.max(vector ? minFused : minRanked, topK * candidatesPerMatch);
  const from = { collection, filter: filter ? toFilterSql(filter) : null, limit };
  // Nearly always the words can be looked for as they are.
  const isLong = queryWords.length > maxWords;
  const found = await store.ask({ ...from, asked: queryWords, vector, words: isLong ? [] : queryWords });
  const unknown = queryWords
    .filter((word) => isGuessable(word) && !found.counts.held.has(word))
    .slice(0, maxGuessedWords);
  const near =
    unknown.length > 0 ? await store.findNearTerms(collection, unknown) : new Map<string, number>();
  const words = weighWords(queryWords, found.counts, near).slice(0, maxWords);
  const terms = new Set(words.flatMap((word) => word.terms.map(({ term }) => term)));
  const isGuessed = [...terms].some((term) => !queryWords.includes(term));
  const byWords =
    isLong || isGuessed ? await store.rankByWords({ ...from, words: [...terms] }) : found.byWords;
  const passages = new Map([...byWords, ...found.byVector].map((passage) => [passage.rowId, passage]));
  const byVector = found.byVector.map(({ rowId }) => rowId);
  return fuseRanks(rankByWords(byWords, words), byVector, vector ? 1 : 0)
    .slice(0, topK)
    .map(({ id, score }) => {
      const { key, metadata } = passages.get(id)!;
      return { id: key, score, metadata: JSON.parse(metadata) as Record<string, unknown> };
    });
}

/** A passage gains by what it holds of the question, by a heading that says little else, and by found neighbours. */
function rankByWords(found: readonly FoundPassage[], words: readonly AskedWord[]): number[] {
  const known = new Map(found.map((passage) => [passage.rowId, passage]));
  const scoreBeside = ({ rowId, source }: FoundPassage, side: 1 | -1) => {
    const neighbour = known.get(rowId + side);
    return neighbour?.source === source ? neighbour.score : 0;
  };
  return found
    .map((passage) => {
      const coverage = coverageOf(passage, words);
      const beside = neighbourShare * Math.max(scoreBeside(passage, 1), scoreBeside(passage, -1));
      const gain = (1 + coverage.ofQuestion / 2) * (1 + coverage.ofHeading / 2);
      return { passage, coverage, score: (passage.score + beside) * gain };
    })
    .filter(({ coverage }) => coverage.ofQuestion >= minCoverage)
    .sort((one, other) => other.score - one.score)
    .map(({ passage }) => passage.rowId);
}

/** By the collection's own model. Where that cannot be asked, words alone find what they can. */
async function embedQuestion(
  collection: Collection,
  { query, signal, embedder, log }: FindOptions,
): Promise<Float32Array | null> {
  if (embedder?.model !== collection.model) return null;
  try {
    const [vector = null] = await embedder.embed({ texts: [query], signal });
    return vector?.length === collection.dimension ? vector : null;
  } catch (error) {
    if (signal?.aborted) throw error;
    log.warn({ err: error }, "question embedding failed; searching by words alone");
    return null;
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
