import type { WarnLog } from "~/platform/log.server";
import type { Embedder } from "./embedder";
import { toFilter } from "./metadata-filter";
import { coverageOf, isGuessable, weighWords } from "./question-terms";
import type { AskedWord } from "./question-terms";
import type { SearchIndex } from "./search-index.server";
import type { PassageMatch, SearchQuestion } from "./search-store";
import { toSearchWords } from "./search-words";
import type { Shelf, WordHit } from "./shelf.server";

type FindOptions = Pick<SearchQuestion, "query" | "namespace" | "reader" | "topK" | "filter" | "signal"> & {
  index: SearchIndex;
  /** null: words alone find what they can. */
  embedder: Embedder | null;
  log: WarnLog;
};

/** The part of the weight of a question's words that a passage must hold; less is a coincidence. */
const minCoverage = 0.2;
/** The rarest words of a question decide; the rest of a very long one would only cost time. */
const maxAskedWords = 200;
const maxWords = 40;
/** Bounds a question's time in a large index: how often its words may occur, all together. */
const maxOccurrences = 20_000;
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
  const { query, namespace, reader, topK, filter, index, signal } = options;
  if (!index.findShelf(reader, namespace)) return [];
  const vector = await embedQuestion(options);
  signal?.throwIfAborted();
  // Pages may have changed while the question was embedded.
  const shelf = index.findShelf(reader, namespace);
  if (!shelf) return [];
  const limit = Math.max(vector ? minFused : minRanked, topK * candidatesPerMatch);
  const isMet = toFilter(filter ?? {});
  const accepts = ({ metadata }: { metadata: Record<string, unknown> }) => isMet(metadata);
  const byVector = vector ? await shelf.rankByVector(vector, accepts, limit) : [];
  signal?.throwIfAborted();
  const words = chooseWords(query, shelf);
  const terms = new Set(words.flatMap((word) => word.terms.map(({ term }) => term)));
  const byWords = terms.size > 0 ? shelf.rankByWords([...terms], accepts, limit) : [];
  return fuseRanks(rankHits(byWords, words), byVector, vector ? 1 : 0)
    .slice(0, topK)
    .map(({ id, score }) => ({ id, score, metadata: { ...shelf.passages.get(id)!.metadata } }));
}

function chooseWords(query: string, shelf: Shelf): AskedWord[] {
  const asked = [...new Set(toSearchWords(query))].slice(0, maxAskedWords);
  const held = shelf.countHolding(asked);
  const unknown = asked.filter((word) => isGuessable(word) && !held.has(word)).slice(0, maxGuessedWords);
  const counts = { passages: shelf.passages.size, held };
  const near = shelf.findNearTerms(unknown);
  const words = weighWords(asked, counts, near).slice(0, maxWords);
  let left = maxOccurrences;
  return words.filter(({ terms }, index) => {
    for (const { term } of terms) left -= held.get(term) ?? near.get(term) ?? 0;
    return left >= 0 || index === 0;
  });
}

/** A passage gains by what it holds of the question, by a heading that says little else, and by found neighbours. */
function rankHits(hits: readonly WordHit[], words: readonly AskedWord[]): string[] {
  const scores = new Map(hits.map(({ passage, score }) => [`${passage.source}#${passage.position}`, score]));
  return hits
    .map(({ passage, score, terms }) => {
      const { source, position, columns } = passage;
      const besides = [-1, 1].map((side) => scores.get(`${source}#${position + side}`) ?? 0);
      const coverage = coverageOf({ terms, heading: columns.heading }, words);
      const gain = (1 + coverage.ofQuestion / 2) * (1 + coverage.ofHeading / 2);
      return { passage, coverage, score: (score + neighbourShare * Math.max(...besides)) * gain };
    })
    .filter(({ coverage }) => coverage.ofQuestion >= minCoverage)
    .sort((one, other) => other.score - one.score)
    .map(({ passage }) => passage.key);
}

/** null if no passage has a vector of that model, or the model is unreachable: words alone find what they can. */
async function embedQuestion(options: FindOptions): Promise<Float32Array | null> {
  const { query, namespace, reader, index, signal, embedder, log } = options;
  const passages = [...(index.findShelf(reader, namespace)?.passages.values() ?? [])];
  const stored = passages.find(({ vector }) => vector)?.vector;
  if (!embedder || !stored) return null;
  try {
    const [vector = null] = await embedder.embed({ texts: [query], signal });
    return vector?.length === stored.length ? vector : null;
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
