import { toCollection } from "./collections.store.server";
import type { Collection } from "./collections.store.server";
import { toFilterSql } from "./filter-sql";
import type { FilterNode } from "./metadata-filter";
import type { SqlReader, SqlRow, SqlStatement } from "./search-database.store.server";

export type Passage = { rowId: number; key: string; text: string; metadata: Record<string, unknown> };
export type PassageStore = ReturnType<typeof createPassageStore>;

/** Words of headings count as if they stood in the text so many times more. */
const columnWeights = "1.0, 2.0, 1.0";

type RankOptions = {
  collection: Collection;
  words: readonly string[];
  vector: Float32Array | null;
  minSimilarity: number;
  filter: FilterNode | null;
  limit: number;
};

/** Reads what `createCollectionStore` has written, in the same process or in another one. */
export function createPassageStore(database: SqlReader) {
  async function listCollections(): Promise<Collection[]> {
    try {
      const [rows = []] = await database.read({
        sql: "SELECT * FROM collections WHERE isLive = 1 ORDER BY namespace",
      });
      return rows.map(toCollection);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }

  /** How many passages there are, and how many of them hold each of the words. */
  async function countWords({ collection, words }: { collection: Collection; words: readonly string[] }) {
    const [total, rows = []] = await database.read(
      { sql: `SELECT count(*) AS count FROM passages_${collection.id}` },
      {
        sql: `SELECT term, doc FROM terms_${collection.id} WHERE term IN (SELECT value FROM json_each(?))`,
        args: [JSON.stringify(words)],
      },
    );
    return {
      passages: Number(total?.[0]?.count ?? 0),
      holding: new Map(rows.map(({ term, doc }) => [String(term), Number(doc)])),
    };
  }

  /** Row ids, best first: by words (BM25) and by vector (exact cosine similarity). */
  async function rank({
    collection,
    words,
    vector,
    minSimilarity,
    filter,
    limit,
  }: RankOptions): Promise<{ byWords: number[]; byVector: number[] }> {
    const place = { id: collection.id, filter, limit };
    const nothing: SqlStatement = { sql: "SELECT 1 WHERE 0" };
    const [byWords = [], byVector = []] = await database.read(
      words.length > 0 ? wordsStatement({ ...place, words }) : nothing,
      vector ? vectorStatement({ ...place, vector, minSimilarity }) : nothing,
    );
    return { byWords: byWords.map(toRowId), byVector: byVector.map(toRowId) };
  }

  /** In no particular order. */
  async function readPassages({
    collection,
    rowIds,
  }: {
    collection: Collection;
    rowIds: readonly number[];
  }): Promise<Passage[]> {
    const [rows = []] = await database.read({
      sql: `SELECT id, key, text, metadata FROM passages_${collection.id}
        WHERE id IN (SELECT value FROM json_each(?))`,
      args: [JSON.stringify(rowIds)],
    });
    return rows.map((row) => ({
      rowId: toRowId(row),
      key: String(row.key),
      text: String(row.text),
      metadata: JSON.parse(String(row.metadata)) as Record<string, unknown>,
    }));
  }

  return { listCollections, countWords, rank, readPassages };
}

/** Also what a reader meets whose collection was replaced between two of its questions. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.includes("no such table");
}

type Place = { id: number; filter: FilterNode | null; limit: number };

/**
 * The plus keeps the filter a test of what the words match: otherwise they are looked up anew for each passage it lets by.
 * Each word is quoted: nothing in it is read as an operator of the full-text language.
 */
function wordsStatement({ id, filter, limit, words }: Place & { words: readonly string[] }): SqlStatement {
  const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(" OR ");
  const within = restrict(id, filter);
  return {
    sql: `SELECT rowid AS id FROM words_${id} WHERE words_${id} MATCH ? ${within.sql.replace("COLUMN", "+rowid")}
      ORDER BY bm25(words_${id}, ${columnWeights}), rowid LIMIT ?`,
    args: [match, ...within.args, limit],
  };
}

function vectorStatement({
  id,
  filter,
  limit,
  vector,
  minSimilarity,
}: Place & { vector: Float32Array; minSimilarity: number }): SqlStatement {
  const within = restrict(id, filter);
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  return {
    sql: `SELECT id, vector_distance_cos(vector, ?) AS distance FROM vectors_${id}
      WHERE distance <= ? ${within.sql.replace("COLUMN", "id")} ORDER BY distance, id LIMIT ?`,
    args: [bytes, 1 - minSimilarity, ...within.args, limit],
  };
}

function restrict(id: number, filter: FilterNode | null) {
  if (!filter) return { sql: "", args: [] };
  const { sql, args } = toFilterSql(filter);
  // Read as JSON once for each passage, however many conditions look at it: the limit keeps the inner query apart.
  const passages = `SELECT id, jsonb(metadata) AS metadata FROM passages_${id} LIMIT -1`;
  return { sql: `AND COLUMN IN (SELECT id FROM (${passages}) WHERE ${sql})`, args };
}

function toRowId(row: SqlRow): number {
  return Number(row.id);
}
