import { distance } from "fastest-levenshtein";

/** `held`: how many passages contain each word of a question. */
export type WordCounts = { passages: number; held: ReadonlyMap<string, number> };
/** A word of a question, and the terms of the index it stands for: itself, or what it may be a part or misspelling of. */
export type AskedWord = { weight: number; terms: { term: string; weight: number }[] };

/** The weight of a guessed term, relative to an exact one. */
const guessShare = 0.5;
/** Guesses for one unknown word. */
const maxTerms = 3;
/** Shorter words are neither completed nor corrected; those between are completed only. */
const minCompletedChars = 4;
const minCorrectedChars = 5;
/** How many first characters a word shares with what it may stand for. */
export const sharedChars = 2;
/** From this length on two letters may be wrong. */
const longWordChars = 8;

/** Rarest first; a word in no passage weighs most. */
export function weighWords(
  words: readonly string[],
  { passages, held }: WordCounts,
  near: ReadonlyMap<string, number>,
): AskedWord[] {
  const weigh = (count: number) => Math.log(1 + (passages - count + 0.5) / (count + 0.5));
  return words
    .map((word) => {
      const count = held.get(word);
      if (count !== undefined) return { weight: weigh(count), terms: [{ term: word, weight: weigh(count) }] };
      const terms = findNearTerms(word, near).map((term) => ({
        term,
        weight: weigh(near.get(term)!) * guessShare,
      }));
      return { weight: weigh(0), terms };
    })
    .sort((one, other) => other.weight - one.weight);
}

/** The share of the question's weight that a passage contains, and of its heading's words that the question contains. */
export function coverageOf(
  { terms: held, heading }: { terms: ReadonlySet<string>; heading: string },
  asked: readonly AskedWord[],
) {
  let [whole, part] = [0, 0];
  for (const { weight, terms } of asked) {
    whole += weight;
    part += Math.max(0, ...terms.map((its) => (held.has(its.term) ? its.weight : 0)));
  }
  const headingWords = heading.split(" ");
  const shared = headingWords.filter((word) => held.has(word)).length;
  return { ofQuestion: whole === 0 ? 0 : part / whole, ofHeading: shared / headingWords.length };
}

/** Numbers and short words are never corrected. */
export function isGuessable(word: string): boolean {
  return word.length >= minCompletedChars && !/\d/.test(word);
}

/** Terms that begin with the word, or else similarly spelled ones; most common first. */
function findNearTerms(word: string, near: ReadonlyMap<string, number>): string[] {
  if (!isGuessable(word)) return [];
  const terms = [...near.keys()];
  const completed = terms.filter((term) => term.startsWith(word));
  const found = completed.length > 0 ? completed : findSpellings(word, terms);
  return found.sort((one, other) => near.get(other)! - near.get(one)!).slice(0, maxTerms);
}

function findSpellings(word: string, terms: readonly string[]): string[] {
  if (word.length < minCorrectedChars) return [];
  const most = word.length < longWordChars ? 1 : 2;
  const beginning = word.slice(0, sharedChars);
  const measured = terms
    .filter((term) => term.startsWith(beginning) && Math.abs(term.length - word.length) <= most)
    .map((term) => ({ term, errors: countErrors(word, term) }));
  const fewest = Math.min(most, ...measured.map(({ errors }) => errors));
  return measured.filter(({ errors }) => errors === fewest).map(({ term }) => term);
}

/** Letters that are wrong, missing or too many; two that changed places count once. */
function countErrors(word: string, term: string): number {
  const errors = distance(word, term);
  const isSwapped = errors === 2 && [...word].sort().join("") === [...term].sort().join("");
  return isSwapped ? 1 : errors;
}
