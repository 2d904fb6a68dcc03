import type { KnowledgePage, Passage } from "./knowledge-page";
import type { SearchDatabase, SqlStatement, SqlValue } from "./search-database.store.server";
import { toSearchWords } from "./search-words";

/** Raised whenever pages are cut or words are read in another way: what was stored before is then rebuilt. */
export const currentForm = 3;

/** Each has tables of its own: how often a word is found in one namespace has no bearing on another's scores. */
export type Collection = { id: number; namespace: string; model: string; dimension: number };
/** In place of a model: the passages are found by their words alone. */
export const noModel = "";
export type StoredPage = { source: string; namespace: string; stamp: string; digest: string };
type EmbeddedPage = {
  collection: Collection;
  page: KnowledgePage;
  stamp: string;
  digest: string;
  /** One for each passage; null, or none at all, for what only its words can find. */
  vectors: readonly (Float32Array | null)[];
};

export type CollectionStore = ReturnType<typeof createCollectionStore>;

const sql = (text: string, ...args: SqlValue[]): SqlStatement => ({ sql: text, args });

const schema = [
  sql(`CREATE TABLE IF NOT EXISTS collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, model TEXT NOT NULL, form INTEGER NOT NULL,
    dimension INTEGER NOT NULL, isLive INTEGER NOT NULL, UNIQUE (namespace, isLive))`),
  sql(`CREATE TABLE IF NOT EXISTS pages (
    collection INTEGER NOT NULL, source TEXT NOT NULL, stamp TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (collection, source)) WITHOUT ROWID`),
];

async function listCollections(database: SearchDatabase) {
  const [rows = []] = await database.read(sql("SELECT * FROM collections ORDER BY id"));
  return rows.map((row) => ({
    ...(row as Collection),
    isLive: Boolean(row.isLive),
    isOf: (model: string) => row.model === model && row.form === currentForm,
  }));
}

/** Fills the file. Every change of a page is one transaction: a process that is killed leaves whole pages only. */
export function createCollectionStore(database: SearchDatabase) {
  async function writeAll(statements: readonly SqlStatement[]): Promise<void> {
    if (statements.length > 0) await database.write(statements);
  }

  /** Makes the tables, and drops what an earlier change of model has left unfinished. */
  async function prepare(model: string): Promise<void> {
    await database.write(schema);
    const all = await listCollections(database);
    const unfinished = all.filter((its) => !its.isLive && !its.isOf(model));
    await writeAll(unfinished.flatMap(({ id }) => dropCollection(id)));
    // A process that was killed may have entered a collection and not made its tables.
    await writeAll(all.filter((its) => !unfinished.includes(its)).flatMap(({ id }) => createTables(id)));
  }

  /** The pages that need no embedding by this model any more. */
  async function listPages(model: string): Promise<StoredPage[]> {
    const ofModel = `SELECT source, namespace, stamp, digest FROM pages JOIN collections ON collections.id = collection
      WHERE model = ? AND form = ?`;
    const [rows = []] = await database.read(sql(ofModel, model, currentForm));
    return rows as StoredPage[];
  }

  /** From this moment the page is in this collection, and in no other namespace. */
  async function replacePage({ collection, page, stamp, digest, vectors }: EmbeddedPage): Promise<void> {
    const { id, namespace } = collection;
    const others = (await listCollections(database)).filter((its) => its.namespace !== namespace);
    const insert = "INSERT INTO pages (collection, source, stamp, digest) VALUES (?, ?, ?, ?)";
    await database.write([
      ...[collection, ...others].flatMap((its) => deletePage(its.id, page.source)),
      sql(insert, id, page.source, stamp, digest),
      ...page.passages.flatMap((passage, index) =>
        insertPassage({ id, page, passage, vector: vectors[index] ?? null }),
      ),
    ]);
  }

  /** The file was touched, its words are the same. */
  async function restamp(source: string, stamp: string): Promise<void> {
    await database.write([sql("UPDATE pages SET stamp = ? WHERE source = ?", stamp, source)]);
  }

  /** In the collections of earlier models too. Returns how many pages belong nowhere any more. */
  async function keepOnly(namespaces: ReadonlyMap<string, string>): Promise<number> {
    const [rows = []] = await database.read(
      sql("SELECT collection, source, namespace FROM pages JOIN collections ON collections.id = collection"),
    );
    const misplaced = rows.filter(({ source, namespace }) => namespaces.get(String(source)) !== namespace);
    for (const { collection, source } of misplaced) {
      await database.write(deletePage(Number(collection), String(source)));
    }
    const gone = misplaced.filter(({ source }) => !namespaces.has(String(source)));
    return new Set(gone.map(({ source }) => source)).size;
  }

  /** What was made beside another takes its place; what holds nothing of this model goes. */
  async function finish(model: string): Promise<void> {
    const all = await listCollections(database);
    const [rows = []] = await database.read(sql("SELECT DISTINCT collection FROM pages"));
    const filled = new Set(rows.map(({ collection }) => Number(collection)));
    const kept = all.filter((its) => its.isOf(model) && filled.has(its.id));
    const dropped = all.filter((its) => !kept.includes(its));
    if (dropped.length === 0 && kept.every(({ isLive }) => isLive)) return;
    await database.write([
      ...dropped.flatMap(({ id }) => dropCollection(id)),
      ...kept.map(({ id }) => sql("UPDATE collections SET isLive = 1 WHERE id = ?", id)),
    ]);
  }

  async function dropAll(): Promise<void> {
    await database.write(schema);
    await writeAll((await listCollections(database)).flatMap(({ id }) => dropCollection(id)));
  }

  return {
    prepare,
    listPages,
    ensureCollection: (wanted: Omit<Collection, "id">) => ensureCollection(database, wanted),
    replacePage,
    restamp,
    keepOnly,
    finish,
    dropAll,
  };
}

/** The namespace's collection of this model. A new one is made beside what answers, and answers after `finish`. */
async function ensureCollection(
  database: SearchDatabase,
  { namespace, model, dimension }: Omit<Collection, "id">,
): Promise<Collection> {
  const find = async () =>
    (await listCollections(database)).find((its) => its.namespace === namespace && its.isOf(model));
  const known = await find();
  if (!known) {
    const columns = "(namespace, model, form, dimension, isLive)";
    const insert = `INSERT INTO collections ${columns} VALUES (?, ?, ?, ?, 0)`;
    await database.write([sql(insert, namespace, model, currentForm, dimension)]);
    const made = (await find())!;
    await database.write(createTables(made.id));
    return made;
  }
  // A page of signs alone has no vectors, and a collection that holds no other has no dimension yet.
  if (dimension === 0 || known.dimension === dimension) return known;
  if (known.dimension > 0) {
    throw new Error(
      `${model} makes vectors of ${dimension} numbers now, and ${known.dimension} when ${namespace} was indexed. Run \`npm run index -- --rebuild\`.`,
    );
  }
  await database.write([sql("UPDATE collections SET dimension = ? WHERE id = ?", dimension, known.id)]);
  return { ...known, dimension };
}

/** `words_*` keeps no text, only where its words are; `terms_*` tells how often; `words` holds each once. */
function createTables(id: number): SqlStatement[] {
  return [
    sql(`CREATE TABLE IF NOT EXISTS passages_${id} (id INTEGER PRIMARY KEY, source TEXT NOT NULL, key TEXT NOT NULL,
      heading TEXT NOT NULL, words TEXT NOT NULL, metadata TEXT NOT NULL)`),
    sql(`CREATE INDEX IF NOT EXISTS passages_${id}_source ON passages_${id} (source)`),
    sql(`CREATE TABLE IF NOT EXISTS vectors_${id} (id INTEGER PRIMARY KEY, vector F32_BLOB NOT NULL)`),
    sql(`CREATE VIRTUAL TABLE IF NOT EXISTS words_${id} USING fts5 (title, heading, text, synonyms, content = '',
      contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0")`),
    sql(`CREATE VIRTUAL TABLE IF NOT EXISTS terms_${id} USING fts5vocab (words_${id}, 'row')`),
  ];
}

function dropCollection(id: number): SqlStatement[] {
  return [
    ...["terms", "words", "vectors", "passages"].map((name) => sql(`DROP TABLE IF EXISTS ${name}_${id}`)),
    sql("DELETE FROM pages WHERE collection = ?", id),
    sql("DELETE FROM collections WHERE id = ?", id),
  ];
}

function deletePage(id: number, source: string): SqlStatement[] {
  const its = `(SELECT id FROM passages_${id} WHERE source = ?)`;
  return [
    sql(`DELETE FROM words_${id} WHERE rowid IN ${its}`, source),
    sql(`DELETE FROM vectors_${id} WHERE id IN ${its}`, source),
    sql(`DELETE FROM passages_${id} WHERE source = ?`, source),
    sql("DELETE FROM pages WHERE collection = ? AND source = ?", id, source),
  ];
}

type InsertOptions = { id: number; page: KnowledgePage; passage: Passage; vector: Float32Array | null };

function insertPassage({ id, page, passage, vector }: InsertOptions): SqlStatement[] {
  const { source, title } = page;
  const { id: key, heading, anchor, text, synonyms } = passage;
  // What a page needs to quote the passage and to open it at its heading.
  const metadata = JSON.stringify({ ...page.metadata, title, heading, anchor, source, text });
  const parts = [title === heading ? "" : title, heading, text, synonyms].map(toSearchWords);
  const columns = parts.map((part) => part.join(" "));
  const words = ` ${[...new Set(parts.flat())].join(" ")} `;
  const newest = `(SELECT max(id) FROM passages_${id})`;
  const insert = `INSERT INTO passages_${id} (source, key, heading, words, metadata) VALUES (?, ?, ?, ?, ?)`;
  const insertWords = `INSERT INTO words_${id} (rowid, title, heading, text, synonyms) VALUES (${newest}, ?, ?, ?, ?)`;
  return [
    sql(insert, source, key, columns[1]!, words, metadata),
    sql(insertWords, ...columns),
    ...(vector ? [sql(`INSERT INTO vectors_${id} (id, vector) VALUES (${newest}, ?)`, toBytes(vector))] : []),
  ];
}

/** As the store holds vectors: 32-bit numbers one behind the other. */
export function toBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
