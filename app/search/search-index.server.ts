import { createHash } from "node:crypto";
import MiniSearch from "minisearch";
import SearchableMap from "minisearch/SearchableMap";
import { takeTurn } from "~/platform/http/turn.server";
import { defaultNamespace } from "~/knowledge/knowledge-page";
import type { Audience, KnowledgePage, Passage, Reader } from "~/knowledge/knowledge-page";
import { toSearchWords } from "~/knowledge/search-words";

type Fields = Record<"id" | "title" | "heading" | "text" | "synonyms", string>;
type IndexedPassage = {
  fields: Fields;
  metadata: Record<string, unknown>;
  /** The text to embed. Its digest names the vector. */
  embedded: string;
  digest: string;
  vector: Float32Array | null;
};
type IndexedPage = { stamp: string; shelves: string[]; passages: IndexedPassage[] };
/** `held`: passages per term. */
export type Shelf = { words: MiniSearch<Fields>; held: SearchableMap<number> };
export type SearchIndex = ReturnType<typeof createSearchIndex>;

const boost = { title: 0.5, heading: 3, text: 1, synonyms: 3 };
const pieceMs = 4;
const readersOf: Record<Audience, readonly Reader[]> = {
  everyone: ["everyone", "holders"],
  holders: ["holders"],
  operators: [],
};

/** In memory. A shelf per reader and namespace, so that pages for others shift no score. */
export function createSearchIndex(defaultAudience: Reader) {
  const pages = new Map<string, IndexedPage>();
  const passages = new Map<string, IndexedPassage>();
  const shelves = new Map<string, Shelf>();

  /** The page is gone at once. */
  async function remove(source: string): Promise<void> {
    const page = pages.get(source)!;
    pages.delete(source);
    for (const { fields } of page.passages) passages.delete(fields.id);
    for (const { fields } of page.passages) {
      for (const name of page.shelves) {
        const shelf = shelves.get(name)!;
        shelf.words.remove(fields);
        count(shelf, fields, -1);
        if (shelf.words.documentCount === 0) shelves.delete(name);
      }
      await pace();
    }
  }

  /** Returns the number of passages that can be found. */
  async function add(page: KnowledgePage, stamp: string): Promise<number> {
    const readers = readersOf[page.audience ?? defaultAudience];
    const names = readers.map((reader) => shelfOf(reader, page.namespace));
    const added: IndexedPage = { stamp, shelves: names, passages: [] };
    pages.set(page.source, added);
    for (const passage of names.length > 0 ? page.passages : []) {
      const indexed = toIndexed(page, passage);
      added.passages.push(indexed);
      passages.set(passage.id, indexed);
      for (const name of names) {
        const shelf = shelves.get(name) ?? createShelf();
        shelves.set(name, shelf);
        shelf.words.add(indexed.fields);
        count(shelf, indexed.fields, 1);
      }
      await pace();
    }
    return added.passages.length;
  }

  return {
    pages,
    passages,
    remove,
    add,
    findShelf: (reader: Reader, namespace: string) => shelves.get(shelfOf(reader, namespace)) ?? null,
    listNamespaces: () => [
      ...new Set([defaultNamespace, ...[...shelves.keys()].map((name) => name.replace(/^\w+:/, "")).sort()]),
    ],
    /** Pages for everyone are on both readers' shelves. */
    countReaders() {
      const countFrom = (least: number) =>
        [...pages.values()].filter((its) => its.shelves.length >= least).length;
      return { everyone: countFrom(2), holders: countFrom(1) };
    },
  };
}

function shelfOf(reader: Reader, namespace: string): string {
  return `${reader}:${namespace}`;
}

function createShelf(): Shelf {
  const words = new MiniSearch<Fields>({
    fields: Object.keys(boost),
    tokenize: termsOf,
    processTerm: (term) => term,
    searchOptions: { boost },
  });
  return { words, held: new SearchableMap() };
}

function count({ held }: Shelf, { id: _id, ...fields }: Fields, step: 1 | -1): void {
  for (const term of new Set(Object.values(fields).flatMap(termsOf))) {
    const left = (held.get(term) ?? 0) + step;
    if (left === 0) held.delete(term);
    else held.set(term, left);
  }
}

export function termsOf(text: string): string[] {
  return text.split(" ").filter(Boolean);
}

function toIndexed(
  { source, title, metadata, findSynonyms }: KnowledgePage,
  passage: Passage,
): IndexedPassage {
  const { id, heading, anchor, text } = passage;
  const words = { heading: toSearchWords(heading), text: toSearchWords(text) };
  const synonyms = toSearchWords(findSynonyms(new Set([...words.heading, ...words.text])));
  const embedded = `${title}\n${heading}\n${text}`;
  return {
    fields: {
      id,
      title: title === heading ? "" : toSearchWords(title).join(" "),
      heading: words.heading.join(" "),
      text: words.text.join(" "),
      synonyms: synonyms.join(" "),
    },
    metadata: { ...metadata, title, heading, anchor, source, text },
    embedded,
    digest: createHash("sha256").update(embedded).digest("base64"),
    vector: null,
  };
}

let pieceBegunAtMs = 0;

/** Gives other requests a turn. */
export async function pace(): Promise<void> {
  if (performance.now() - pieceBegunAtMs < pieceMs) return;
  await takeTurn();
  pieceBegunAtMs = performance.now();
}
