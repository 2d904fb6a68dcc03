import { takeTurn } from "~/platform/http/turn.server";
import type { WarnLog } from "~/platform/log/log.server";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { toFilter } from "./metadata-filter";
import { pace, termsOf } from "./search-index.server";
import type { SearchIndex, Shelf } from "./search-index.server";
import type { PassageMatch, SearchQuestion } from "./search-store";
import { toSearchWords } from "~/knowledge/search-words";

type FindOptions = Omit<SearchQuestion, "index"> & {
  index: SearchIndex;
  /** Null to search by words alone. */
  embedder: Embedder | null;
  log: WarnLog;
};
/** Rare words weigh more. */
type Weights = ReadonlyMap<string, number>;
type Sought = FindOptions & { shelf: Shelf; isMet: ReturnType<typeof toFilter>; limit: number };

/** The share of a question's weight that a passage must hold. */
const minCoverage = 0.22;
/** The rarest words of a question decide. */
const maxWords = 40;
const maxGuessedWords = 4;
/** Bounds a question's time in a large index, for words and for guesses. */
const maxOccurrences = 10_000;
/** Shorter words are neither completed nor corrected. Long ones may have two wrong letters. */
const [minCompletedChars, minCorrectedChars, longWordChars] = [4, 5, 6];
/** The weight of a guess relative to a match. */
const guessShare = 0.3;
/** On larger shelves, one word is guessed, by one letter. */
const manyTerms = 20_000;
/** Candidates of each side before the fusion. */
const minCandidates = 30;
/** The usual constant of reciprocal rank fusion. */
const rankConstant = 60;

/** Searches one shelf by words and by vector, fused by rank. */
export async function findPassages(options: FindOptions): Promise<PassageMatch[]> {
  const { namespace, reader, topK, filter = {}, index, signal } = options;
  const vector = await embedQuestion(options);
  await takeTurn();
  signal?.throwIfAborted();
  const shelf = index.findShelf(reader, namespace);
  if (!shelf) return [];
  const sought = { ...options, shelf, isMet: toFilter(filter), limit: Math.max(minCandidates, topK * 2) };
  const byWords = rankByWords(sought);
  const fused = vector ? fuseRanks(byWords, await rankByVector(sought, vector)) : fuseRanks(byWords);
  return fused.slice(0, topK).flatMap(({ id, score }) => {
    // The page may have moved meanwhile.
    const passage = shelf.words.has(id) ? index.passages.get(id) : undefined;
    return passage ? { id, score, metadata: { ...passage.metadata } } : [];
  });
}

/** Rarest first. */
function weighWords({ words, held }: Shelf, query: string): Weights {
  const asked = [...new Set(toSearchWords(query))];
  const weighed = asked.map((word) => {
    const count = held.get(word) ?? 0;
    return { word, count, weight: Math.log(1 + (words.documentCount - count + 0.5) / (count + 0.5)) };
  });
  let left = maxOccurrences;
  const chosen = weighed
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxWords)
    .filter(({ count }, at) => (left -= count) >= 0 || at === 0);
  return new Map(chosen.map(({ word, weight }) => [word, weight]));
}

/** BM25, with a bonus for the share of the question, and for a heading that says little else. */
function rankByWords({ index, query, shelf, isMet, limit }: Sought): string[] {
  const weights = weighWords(shelf, query);
  const guessed = chooseGuesses(weights, shelf);
  const found = shelf.words.search([...weights.keys()].join(" "), {
    prefix: (word) => guessed.get(word)?.isCompleted ?? false,
    fuzzy: (word) => guessed.get(word)?.wrongLetters ?? 0,
    weights: { prefix: guessShare, fuzzy: guessShare },
  });
  const whole = sum([...weights.values()]);
  return found
    .filter(({ id }) => {
      const passage = index.passages.get(id as string);
      return passage !== undefined && isMet(passage.metadata);
    })
    .slice(0, limit)
    .map(({ id, score, queryTerms }) => {
      const held = queryTerms.map((word) => weights.get(word)! * (guessed.has(word) ? guessShare : 1));
      const ofQuestion = sum(held) / whole;
      const heading = termsOf(index.passages.get(id as string)!.fields.heading);
      const ofHeading = heading.filter((word) => weights.has(word)).length / (heading.length || 1);
      return { id: id as string, ofQuestion, score: score * (1 + ofQuestion / 2) * (1 + ofHeading / 2) };
    })
    .filter(({ ofQuestion }) => ofQuestion >= minCoverage)
    .sort((one, other) => other.score - one.score)
    .map(({ id }) => id);
}

type Guess = { isCompleted: boolean; wrongLetters: number };

/** Words without a match, within the bound. */
function chooseGuesses(weights: Weights, { words, held }: Shelf): Map<string, Guess> {
  const isLarge = words.termCount > manyTerms;
  const unknown = [...weights.keys()].filter((word) => !held.has(word) && !/\d/.test(word));
  let left = maxOccurrences;
  function takeTime(counts: readonly number[]): boolean {
    const needed = sum(counts);
    const isEnough = needed <= left;
    if (isEnough) left -= needed;
    return isEnough;
  }
  const guess = (word: string): Guess => {
    const wrongLetters = word.length < longWordChars || isLarge ? 1 : 2;
    const corrections = () => [...held.fuzzyGet(word, wrongLetters).values()].map(([count]) => count);
    const isCorrected = word.length >= minCorrectedChars && takeTime(corrections());
    const isCompleted = word.length >= minCompletedChars && takeTime([...held.atPrefix(word).values()]);
    return { isCompleted, wrongLetters: isCorrected ? wrongLetters : 0 };
  };
  return new Map(unknown.slice(0, isLarge ? 1 : maxGuessedWords).map((word) => [word, guess(word)]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Null without vectors, or if the model is unreachable. */
async function embedQuestion(options: FindOptions): Promise<Float32Array | null> {
  const { query, index, signal, embedder, log } = options;
  const dimension = [...index.passages.values()].find(({ vector }) => vector?.length)?.vector?.length;
  if (!embedder || dimension === undefined) return null;
  try {
    const [vector = null] = await embedder.embed({ texts: [query], signal });
    return vector?.length === dimension ? vector : null;
  } catch (error) {
    if (signal?.aborted) throw error;
    log.warn({ err: error }, "question embedding failed; searching by words alone");
    return null;
  }
}

/** By cosine: vectors have length 1. */
async function rankByVector({ index, shelf, isMet, limit }: Sought, vector: Float32Array): Promise<string[]> {
  const scored: { id: string; score: number }[] = [];
  for (const [id, passage] of index.passages) {
    if (passage.vector?.length !== vector.length || !shelf.words.has(id) || !isMet(passage.metadata))
      continue;
    let score = 0;
    for (let at = 0; at < vector.length; at++) score += passage.vector[at]! * vector[at]!;
    scored.push({ id, score });
    await pace();
  }
  scored.sort((one, other) => other.score - one.score);
  return scored.slice(0, limit).map(({ id }) => id);
}

/** Reciprocal rank fusion. The first in all orders scores 1. Ties keep the first list's order. */
export function fuseRanks(...orders: (readonly string[])[]) {
  const scores = new Map<string, number>();
  for (const order of orders) {
    for (const [at, id] of order.entries()) {
      const score = (rankConstant + 1) / (rankConstant + 1 + at) / orders.length;
      scores.set(id, (scores.get(id) ?? 0) + score);
    }
  }
  return [...scores]
    .map(([id, score]) => ({ id, score: Math.round(score * 10_000) / 10_000 }))
    .sort((one, other) => other.score - one.score);
}
