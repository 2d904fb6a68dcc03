import { toBytes, toCollection } from "./collections.store.server";
import type { Collection } from "./collections.store.server";
import type { SqlCondition } from "./metadata-filter";
import type { SqlReader, SqlStatement } from "./search-database.store.server";

export type Passage = { rowId: number; key: string; text: string; metadata: Record<string, unknown> };
export type PassageStore = ReturnType<typeof createPassageStore>;

/** Words of headings count as if they stood in the text so many times more. */
const columnWeights = "1.0, 2.0, 1.0";

type RankOptions = {
  collection: Collection;
  words: readonly string[];
  vector: Float32Array | null;
  minSimilarity: number;
  filter: SqlCondition | null;
  limit: number;
};

/** Reads what `createCollectionStore` has written, in the same process or in another one. */
export function createPassageStore(database: SqlReader) {
  async function listCollections(): Promise<Collection[]> {
    try {
      const sql = "SELECT * FROM collections WHERE isLive = 1 ORDER BY namespace";
      const [rows = []] = await database.read({ sql });
      return rows.map(toCollection);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }

  /** How many passages there are, and how many of them hold each of the words. */
  async function countWords({ id }: Collection, words: readonly string[]) {
    const [total, rows = []] = await database.read(
      { sql: `SELECT count(*) AS count FROM passages_${id}` },
      {
        sql: `SELECT term, doc FROM terms_${id} WHERE term IN (SELECT value FROM json_each(?))`,
        args: [JSON.stringify(words)],
      },
    );
    return {
      passages: Number(total?.[0]?.count ?? 0),
      holding: new Map(rows.map(({ term, doc }) => [String(term), Number(doc)])),
    };
  }

  /** Row ids, best first: by words (BM25) and by vector (exact cosine similarity). */
  async function rank(options: RankOptions): Promise<{ byWords: number[]; byVector: number[] }> {
    const [byWords = [], byVector = []] = await database.read(
      wordsStatement(options),
      vectorStatement(options),
    );
    return { byWords: byWords.map(({ id }) => Number(id)), byVector: byVector.map(({ id }) => Number(id)) };
  }

  /** In no particular order. */
  async function readPassages({ id }: Collection, rowIds: readonly number[]): Promise<Passage[]> {
    const [rows = []] = await database.read({
      sql: `SELECT id, key, text, metadata FROM passages_${id} WHERE id IN (SELECT value FROM json_each(?))`,
      args: [JSON.stringify(rowIds)],
    });
    return rows.map(({ id: rowId, key, text, metadata }) => ({
      rowId: Number(rowId),
      key: String(key),
      text: String(text),
      metadata: JSON.parse(String(metadata)) as Record<string, unknown>,
    }));
  }

  return { listCollections, countWords, rank, readPassages };
}

/** Also thrown to a reader whose collection was replaced between two of its questions. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.includes("no such table");
}

const nothing: SqlStatement = { sql: "SELECT 1 WHERE 0" };

/**
 * The plus keeps the filter a test of what the words match: otherwise they are looked up again for each passage it lets
 * by. Each word is quoted: nothing in it is read as an operator of the full-text language.
 */
function wordsStatement({ collection: { id }, filter, limit, words }: RankOptions): SqlStatement {
  if (words.length === 0) return nothing;
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" OR ");
  const within = restrict(id, "+rowid", filter);
  return {
    sql: `SELECT rowid AS id FROM words_${id} WHERE words_${id} MATCH ? ${within.sql}
      ORDER BY bm25(words_${id}, ${columnWeights}), rowid LIMIT ?`,
    args: [match, ...within.args, limit],
  };
}

function vectorStatement({ collection, filter, limit, vector, minSimilarity }: RankOptions): SqlStatement {
  if (!vector) return nothing;
  const within = restrict(collection.id, "id", filter);
  return {
    sql: `SELECT id, vector_distance_cos(vector, ?) AS distance FROM vectors_${collection.id}
      WHERE distance <= ? ${within.sql} ORDER BY distance, id LIMIT ?`,
    args: [toBytes(vector), 1 - minSimilarity, ...within.args, limit],
  };
}

function restrict(id: number, column: string, filter: SqlCondition | null): SqlCondition {
  if (!filter) return { sql: "", args: [] };
  // Read as JSON once for each passage, however many conditions look at it: the limit keeps the inner query apart.
  const passages = `SELECT id, jsonb(metadata) AS metadata FROM passages_${id} LIMIT -1`;
  return { sql: `AND ${column} IN (SELECT id FROM (${passages}) WHERE ${filter.sql})`, args: filter.args };
}
