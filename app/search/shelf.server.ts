import { setImmediate as takeTurn } from "node:timers/promises";
import MiniSearch from "minisearch";
import { sharedChars } from "./question-terms";
import { toSearchWords } from "./search-words";
import type { KnowledgePage } from "./knowledge-page";

/** A passage as it is found. Shelves share it, so its vector is stored once. */
export type IndexedPassage = {
  key: string;
  source: string;
  /** Its place on the page: neighbours are one apart. */
  position: number;
  columns: Record<Column, string>;
  metadata: Record<string, unknown>;
  vector: Float32Array | null;
};
type Column = "title" | "heading" | "text" | "synonyms";
type Accepts = (passage: IndexedPassage) => boolean;
export type WordHit = { passage: IndexedPassage; score: number; terms: ReadonlySet<string> };

const boost: Record<Column, number> = { title: 0.5, heading: 2, text: 1, synonyms: 3 };
/** Maximum terms with the same first characters that are compared with an unknown word. */
const maxNearTerms = 5_000;

/** Numbers of vectors that are compared before other requests get a turn: about 2 ms. */
const numbersAtOnce = 1_000_000;

export type Shelf = ReturnType<typeof createShelf>;

/** The passages that one reader may find in one namespace. No other passage influences its scores. */
export function createShelf() {
  const passages = new Map<string, IndexedPassage>();
  /** How many passages hold each term. */
  const terms = new Map<string, number>();
  const words = new MiniSearch<{ key: string } & Record<Column, string>>({
    idField: "key",
    fields: Object.keys(boost),
    tokenize: splitWords,
    processTerm: (term) => term,
    searchOptions: { boost },
  });

  function count(passage: IndexedPassage, step: 1 | -1): void {
    for (const term of new Set(splitWords(Object.values(passage.columns).join(" ")))) {
      const held = (terms.get(term) ?? 0) + step;
      if (held === 0) terms.delete(term);
      else terms.set(term, held);
    }
  }

  return {
    passages,
    add(passage: IndexedPassage): void {
      passages.set(passage.key, passage);
      words.add({ key: passage.key, ...passage.columns });
      count(passage, 1);
    },
    remove(passage: IndexedPassage): void {
      passages.delete(passage.key);
      words.remove({ key: passage.key, ...passage.columns });
      count(passage, -1);
    },
    countHolding: (asked: readonly string[]) =>
      new Map(asked.flatMap((word) => (terms.has(word) ? [[word, terms.get(word)!]] : []))),
    /** Terms that begin like these words, with the number of passages that hold each. */
    findNearTerms(asked: readonly string[]): Map<string, number> {
      const beginnings = new Set(asked.map((word) => word.slice(0, sharedChars)));
      const near = new Map<string, number>();
      if (beginnings.size === 0) return near;
      for (const [term, held] of terms) {
        if (beginnings.has(term.slice(0, sharedChars))) near.set(term, held);
        if (near.size === maxNearTerms) break;
      }
      return near;
    },
    /** Best first, by BM25. */
    rankByWords(asked: readonly string[], accepts: Accepts, limit: number): WordHit[] {
      const hits: WordHit[] = [];
      for (const { id, score, terms: held } of words.search(asked.join(" "))) {
        const passage = passages.get(String(id))!;
        if (accepts(passage)) hits.push({ passage, score, terms: new Set(held) });
        if (hits.length === limit) break;
      }
      return hits;
    },
    /** Best first, by cosine: vectors have length 1. */
    async rankByVector(asked: Float32Array, accepts: Accepts, limit: number): Promise<string[]> {
      const scored: { key: string; score: number }[] = [];
      let left = numbersAtOnce;
      for (const passage of passages.values()) {
        if (passage.vector?.length !== asked.length || !accepts(passage)) continue;
        scored.push({ key: passage.key, score: multiply(passage.vector, asked) });
        left -= asked.length;
        if (left > 0) continue;
        left = numbersAtOnce;
        await takeTurn();
      }
      // A page may have gone in between.
      const found = scored.filter(({ key }) => passages.has(key));
      const sorted = found.sort((one, other) => other.score - one.score);
      return sorted.slice(0, limit).map(({ key }) => key);
    },
  };
}

function multiply(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += one[index]! * other[index]!;
  return sum;
}

function splitWords(text: string): string[] {
  return text.split(" ").filter(Boolean);
}

export function toIndexedPassage(page: KnowledgePage, position: number): IndexedPassage {
  const { source, title, metadata } = page;
  const { id, heading, anchor, text, synonyms } = page.passages[position]!;
  const join = (words: string) => toSearchWords(words).join(" ");
  return {
    key: id,
    source,
    position,
    columns: {
      title: title === heading ? "" : join(title),
      heading: join(heading),
      text: join(text),
      synonyms: join(synonyms),
    },
    // The offline assistant quotes the passage and names its page.
    metadata: { ...metadata, title, heading, anchor, source, text },
    vector: null,
  };
}
