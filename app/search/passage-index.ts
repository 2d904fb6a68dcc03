import type { KnowledgePage, Passage } from "./knowledge-page";
import { toSearchWords } from "./search-words";

export type PassageMatch = {
  id: string;
  score: number;
  title: string;
  heading: string;
  source: string;
  text: string;
};

/** Okapi BM25's usual constants: how soon repetition stops counting, and how much length is held against. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** Words of titles and headings count as if they stood in the text so many times more. */
const headingWeight = 2;
/** Of the weight of a question's words, the part that a passage must hold; less is a chance meeting. */
const minCoverage = 0.2;

type Entry = { page: KnowledgePage; passage: Passage; counts: Map<string, number>; length: number };

/** A full-text index in memory over one namespace's pages. */
export function createPassageIndex({ pages }: { pages: readonly KnowledgePage[] }) {
  const entries = pages.flatMap((page) => page.passages.map((passage) => toEntry({ page, passage })));
  const holders = new Map<string, Entry[]>();
  for (const entry of entries) {
    for (const word of entry.counts.keys()) {
      const holding = holders.get(word);
      if (holding) holding.push(entry);
      else holders.set(word, [entry]);
    }
  }
  const averageLength = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, entries.length);

  function weightOf(word: string): number {
    const holding = holders.get(word)?.length ?? 0;
    return Math.log(1 + (entries.length - holding + 0.5) / (holding + 0.5));
  }

  /** Best first; equal scores in the order of the pages, so that the same question gets the same answer. */
  function search({ query, topK }: { query: string; topK: number }): PassageMatch[] {
    const words = [...new Set(toSearchWords(query))].map((word) => ({ word, weight: weightOf(word) }));
    const wholeWeight = words.reduce((sum, { weight }) => sum + weight, 0);
    const found = new Map<Entry, { score: number; coverage: number }>();
    for (const { word, weight } of words) {
      for (const entry of holders.get(word) ?? []) {
        const sofar = found.get(entry) ?? { score: 0, coverage: 0 };
        const count = entry.counts.get(word) ?? 0;
        const evened = saturation * (1 - lengthWeight + (lengthWeight * entry.length) / averageLength);
        const score = sofar.score + (weight * count * (saturation + 1)) / (count + evened);
        found.set(entry, { score, coverage: sofar.coverage + weight / wholeWeight });
      }
    }
    return entries
      .flatMap((entry) => {
        const hit = found.get(entry);
        return hit && hit.coverage >= minCoverage ? [{ entry, score: hit.score }] : [];
      })
      .sort((one, other) => other.score - one.score)
      .slice(0, topK)
      .map(({ entry: { page, passage }, score }) => ({
        id: passage.id,
        score: Math.round(score * 10_000) / 10_000,
        title: page.title,
        heading: passage.heading,
        source: page.source,
        text: passage.text,
      }));
  }

  return { search };
}

function toEntry({ page, passage }: { page: KnowledgePage; passage: Passage }): Entry {
  const counts = new Map<string, number>();
  const add = (text: string, times: number) => {
    for (const word of toSearchWords(text)) counts.set(word, (counts.get(word) ?? 0) + times);
  };
  add(passage.text, 1);
  add(passage.heading, headingWeight);
  if (page.title !== passage.heading) add(page.title, 1);
  return { page, passage, counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) };
}
