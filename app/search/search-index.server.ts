import { setImmediate as takeTurn } from "node:timers/promises";
import { namespaceOf, shelfOf, shelvesOf } from "./audience";
import type { Reader } from "./audience";
import { defaultNamespace } from "./knowledge-page";
import type { KnowledgePage } from "./knowledge-page";
import { createShelf, toIndexedPassage } from "./shelf.server";
import type { IndexedPassage, Shelf } from "./shelf.server";

/** `stamp` and `digest` are those of the file. */
export type ReadPage = { page: KnowledgePage; stamp: string; digest: string };
export type IndexedPage = ReadPage & { shelves: readonly string[]; passages: IndexedPassage[] };

/** Between them requests get their turn. A passage costs about 0.3 ms. */
const passagesAtOnce = 20;

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** Everything that can be found, in memory. */
export function createSearchIndex(defaultAudience: Reader) {
  const pages = new Map<string, IndexedPage>();
  const shelves = new Map<string, Shelf>();

  const toShelves = ({ audience, namespace }: KnowledgePage) =>
    shelvesOf(audience ?? defaultAudience, namespace);

  async function remove(source: string): Promise<void> {
    const before = pages.get(source);
    pages.delete(source);
    for (const [index, passage] of (before?.passages ?? []).entries()) {
      for (const name of before!.shelves) {
        const shelf = shelves.get(name)!;
        shelf.remove(passage);
        if (shelf.passages.size === 0) shelves.delete(name);
      }
      if (index % passagesAtOnce === 0) await takeTurn();
    }
  }

  async function replace({ page, stamp, digest }: ReadPage): Promise<void> {
    await remove(page.source);
    const indexed: IndexedPage = { page, stamp, digest, shelves: toShelves(page), passages: [] };
    for (const position of page.passages.keys()) {
      const passage = toIndexedPassage(page, position);
      indexed.passages.push(passage);
      for (const name of indexed.shelves) {
        if (!shelves.has(name)) shelves.set(name, createShelf());
        shelves.get(name)!.add(passage);
      }
      if (position % passagesAtOnce === 0) await takeTurn();
    }
    // Whole from now on: its passages can be embedded.
    pages.set(page.source, indexed);
  }

  return {
    pages,
    remove,
    replace,
    toShelves,
    /** Whether a page that is indexed moves to other readers or to another namespace. */
    isMoved: (page: KnowledgePage) => {
      const before = pages.get(page.source);
      return before !== undefined && before.shelves.join() !== toShelves(page).join();
    },
    findShelf: (reader: Reader, namespace: string) => shelves.get(shelfOf(reader, namespace)) ?? null,
    listNamespaces: () => [...new Set([defaultNamespace, ...[...shelves.keys()].sort().map(namespaceOf)])],
    /** A page for everyone is on both readers' shelves. */
    countReaders() {
      const count = (least: number) =>
        [...pages.values()].filter((its) => its.shelves.length >= least).length;
      return { everyone: count(2), holders: count(1) };
    },
  };
}
