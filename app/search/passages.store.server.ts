import { collectionColumns, formOf, toBytes } from "./collections.store.server";
import type { Collection } from "./collections.store.server";
import type { Reader } from "./audience";
import type { SqlCondition } from "./metadata-filter";
import { sharedChars } from "./question-terms";
import type { SqlReader, SqlRow, SqlStatement } from "./search-database.store.server";

/** `words`: what it can be found by, with spaces between; so is `heading`. `metadata`: as JSON. */
export type FoundPassage = {
  rowId: number;
  source: string;
  key: string;
  heading: string;
  words: string;
  metadata: string;
  score: number;
};
export type PassageStore = ReturnType<typeof createPassageStore>;

/** How much a word counts in the title, the heading, the text and the synonyms. */
const columnWeights = "0.5, 2.0, 1.0, 3.0";
/** Most terms with the same first characters that are compared with an unknown word. */
const maxNearTerms = 5_000;

type RankOptions = {
  collection: Collection;
  words: readonly string[];
  filter: SqlCondition | null;
  limit: number;
};
type AskOptions = RankOptions & { asked: readonly string[]; vector: Float32Array | null };

/** `known`: collections by their shelves, cached between questions until one of them is found to be gone. */
export function createPassageStore(
  database: SqlReader,
  defaultAudience: Reader,
  known = new Map<string, Collection>(),
) {
  async function listCollections(): Promise<Collection[]> {
    try {
      const sql = `SELECT ${collectionColumns} FROM collections WHERE isLive = 1 AND form = ? ORDER BY namespace`;
      const [rows = []] = await database.read({ sql, args: [formOf(defaultAudience)] });
      return rows as Collection[];
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }

  async function findCollection(shelf: string): Promise<Collection | null> {
    if (!known.has(shelf)) {
      for (const collection of await listCollections()) known.set(collection.shelf, collection);
    }
    return known.get(shelf) ?? null;
  }

  /** Best first, by words (BM25) and by vector (cosine). In one turn: each costs a tenth of a millisecond. */
  async function ask({ asked, vector, ...options }: AskOptions) {
    const [[total, ...held] = [], ...found] = await database.read(
      countStatement(options.collection, asked),
      ...(vector ? [vectorStatement({ ...options, vector })] : []),
      ...(options.words.length > 0 ? [wordsStatement(options)] : []),
    );
    const byVector = (vector && found.shift()) ?? [];
    const byWords = found[0] ?? [];
    return {
      counts: { passages: Number(total?.doc ?? 0), held: toCounts(held) },
      byVector: byVector as FoundPassage[],
      byWords: byWords as FoundPassage[],
    };
  }

  /** What words that are in no passage may stand for: the terms that begin alike. */
  async function findNearTerms({ id }: Collection, words: readonly string[]): Promise<Map<string, number>> {
    const [rows = []] = await database.read({
      sql: `SELECT near.term, near.doc FROM json_each(?1) AS asked CROSS JOIN terms_${id} AS near
        WHERE near.term >= substr(asked.value, 1, ?2) AND near.term < substr(asked.value, 1, ?2) || char(1114111) LIMIT ?3`,
      args: [JSON.stringify(words), sharedChars, maxNearTerms],
    });
    return toCounts(rows);
  }

  async function rankByWords(options: RankOptions): Promise<FoundPassage[]> {
    if (options.words.length === 0) return [];
    const [rows = []] = await database.read(wordsStatement(options));
    return rows as FoundPassage[];
  }

  return {
    listCollections,
    findCollection,
    forgetCollections: () => known.clear(),
    ask,
    findNearTerms,
    rankByWords,
  };
}

/** Also thrown to a reader whose collection was replaced between two of its questions. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.includes("no such table");
}

/** The first row counts the passages. */
function countStatement({ id }: Collection, asked: readonly string[]): SqlStatement {
  return {
    sql: `SELECT '' AS term, count(*) AS doc FROM passages_${id}
      UNION ALL SELECT term, doc FROM terms_${id} WHERE term IN (SELECT value FROM json_each(?))`,
    args: [JSON.stringify(asked)],
  };
}

function toCounts(rows: readonly SqlRow[]): Map<string, number> {
  return new Map(rows.map(({ term, doc }) => [String(term), Number(doc)]));
}

/**
 * The plus keeps the filter a test of what the words match: otherwise they are looked up again for each passage it lets
 * by. Each word is quoted: nothing in it is read as an operator of the full-text language.
 */
function wordsStatement({ collection: { id }, filter, limit, words }: RankOptions): SqlStatement {
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" OR ");
  const within = restrict(id, "+rowid", filter);
  const hits = `SELECT rowid AS hit, -bm25(words_${id}, ${columnWeights}) AS score FROM words_${id}
    WHERE words_${id} MATCH ? ${within.sql} ORDER BY score DESC, hit LIMIT ?`;
  return { sql: readHits(id, hits), args: [match, ...within.args, limit] };
}

function vectorStatement(options: RankOptions & { vector: Float32Array }): SqlStatement {
  const { collection, filter, limit, vector } = options;
  const { id } = collection;
  const within = restrict(id, "id", filter);
  const hits = `SELECT id AS hit, -vector_distance_cos(vector, ?) AS score FROM vectors_${id}
    WHERE 1 ${within.sql} ORDER BY score DESC, hit LIMIT ?`;
  return { sql: readHits(id, hits), args: [toBytes(vector), ...within.args, limit] };
}

function readHits(id: number, hits: string): string {
  return `SELECT id AS rowId, source, key, heading, words, metadata, score FROM (${hits}) JOIN passages_${id} ON id = hit
    ORDER BY score DESC, id`;
}

function restrict(id: number, column: string, filter: SqlCondition | null): SqlCondition {
  if (!filter) return { sql: "", args: [] };
  // Read as JSON once for each passage, however many conditions look at it: the limit keeps the inner query apart.
  const passages = `SELECT id, jsonb(metadata) AS metadata FROM passages_${id} LIMIT -1`;
  return { sql: `AND ${column} IN (SELECT id FROM (${passages}) WHERE ${filter.sql})`, args: filter.args };
}
