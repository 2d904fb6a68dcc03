import { shelvesOf } from "./audience";
import type { Reader } from "./audience";
import type { KnowledgePage, Passage } from "./knowledge-page";
import type { SearchDatabase, SqlStatement, SqlValue } from "./search-database.store.server";
import { toSearchWords } from "./search-words";

/** Raised whenever pages are cut or words are read in another way: what was stored before is then rebuilt. */
const currentForm = 5;

/** Another default audience rebuilds the index: until then nothing that was stored is found. */
export function formOf(defaultAudience: Reader): string {
  return `${currentForm} ${defaultAudience}`;
}

/** Each has tables of its own: how often a word is found on one shelf has no bearing on another's scores. */
export type Collection = { id: number; shelf: string; model: string; dimension: number };
/** The first versions had no shelves, and the column kept its name. */
export const collectionColumns = "id, namespace AS shelf, model, form, dimension, isLive";
/** In place of a model: the passages are found by their words alone. */
export const noModel = "";
export type StoredPage = { source: string; shelves: string[]; stamp: string; digest: string };
type EmbeddedPage = {
  /** None: a page that nobody finds. */
  collections: readonly Collection[];
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

async function listCollections(database: SearchDatabase, form: string) {
  const [rows = []] = await database.read(sql(`SELECT ${collectionColumns} FROM collections ORDER BY id`));
  return rows.map((row) => ({
    ...(row as Collection),
    isLive: Boolean(row.isLive),
    isOf: (model: string) => row.model === model && row.form === form,
  }));
}

/** Fills the file. Every change of a page is one transaction: a process that is killed leaves whole pages only. */
export function createCollectionStore(database: SearchDatabase, defaultAudience: Reader) {
  const form = formOf(defaultAudience);

  /** Makes the tables, and drops what an earlier change of model has left unfinished. */
  async function prepare(model: string): Promise<void> {
    await database.write(schema);
    const all = await listCollections(database, form);
    const unfinished = all.filter((its) => !its.isLive && !its.isOf(model));
    await database.write(unfinished.flatMap(({ id }) => dropCollection(id)));
    // A process that was killed may have entered a collection and not made its tables.
    const others = all.filter((its) => !unfinished.includes(its));
    await database.write(others.flatMap(({ id }) => createTables(id)));
  }

  /** The pages that need no embedding by this model any more. */
  async function listPages(model: string): Promise<StoredPage[]> {
    const ofModel = `SELECT source, json_group_array(namespace) AS shelves, stamp, digest
      FROM pages JOIN collections ON collections.id = collection
      WHERE model = ? AND form = ? GROUP BY source, stamp, digest`;
    const [rows = []] = await database.read(sql(ofModel, model, form));
    return rows.map((row) => ({
      ...(row as StoredPage),
      shelves: JSON.parse(String(row.shelves)) as string[],
    }));
  }

  /** From this moment the page is in these collections, and on no other shelf. */
  async function replacePage({ collections, page, stamp, digest, vectors }: EmbeddedPage): Promise<void> {
    const shelves = new Set(collections.map(({ shelf }) => shelf));
    const others = (await listCollections(database, form)).filter(({ shelf }) => !shelves.has(shelf));
    const insert = "INSERT INTO pages (collection, source, stamp, digest) VALUES (?, ?, ?, ?)";
    await database.write([
      ...[...collections, ...others].flatMap(({ id }) => deletePage(id, page.source)),
      ...collections.flatMap(({ id }) => [
        sql(insert, id, page.source, stamp, digest),
        ...page.passages.flatMap((passage, index) =>
          insertPassage({ id, page, passage, vector: vectors[index] ?? null }),
        ),
      ]),
    ]);
  }

  /** The file was touched, its words are the same. */
  async function restamp(source: string, stamp: string): Promise<void> {
    await database.write([sql("UPDATE pages SET stamp = ? WHERE source = ?", stamp, source)]);
  }

  /** In the collections of earlier models too. Returns how many pages belong nowhere any more. */
  async function keepOnly(shelvesBySource: ReadonlyMap<string, readonly string[]>): Promise<number> {
    const shelvesOfRow = (source: unknown) => shelvesBySource.get(String(source)) ?? [];
    const [rows = []] = await database.read(
      sql("SELECT collection, source, namespace FROM pages JOIN collections ON collections.id = collection"),
    );
    const misplaced = rows.filter(
      ({ source, namespace }) => !shelvesOfRow(source).includes(String(namespace)),
    );
    for (const { collection, source } of misplaced) {
      await database.write(deletePage(Number(collection), String(source)));
    }
    const gone = misplaced.filter(({ source }) => shelvesOfRow(source).length === 0);
    return new Set(gone.map(({ source }) => source)).size;
  }

  /** What was made beside another takes its place; what holds nothing of this model goes. */
  async function finish(model: string): Promise<void> {
    const all = await listCollections(database, form);
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
    await database.write((await listCollections(database, form)).flatMap(({ id }) => dropCollection(id)));
  }

  return {
    prepare,
    shelvesOf: ({ audience, namespace }: Pick<KnowledgePage, "audience" | "namespace">) =>
      shelvesOf(audience ?? defaultAudience, namespace),
    listPages,
    ensureCollection: (wanted: Omit<Collection, "id">) => ensureCollection(database, form, wanted),
    replacePage,
    restamp,
    keepOnly,
    finish,
    dropAll,
  };
}

/** The shelf's collection of this model. A new one is made beside what answers, and answers after `finish`. */
async function ensureCollection(
  database: SearchDatabase,
  form: string,
  { shelf, model, dimension }: Omit<Collection, "id">,
): Promise<Collection> {
  const find = async () =>
    (await listCollections(database, form)).find((its) => its.shelf === shelf && its.isOf(model));
  const known = await find();
  if (!known) {
    const columns = "(namespace, model, form, dimension, isLive)";
    const insert = `INSERT INTO collections ${columns} VALUES (?, ?, ?, ?, 0)`;
    await database.write([sql(insert, shelf, model, form, dimension)]);
    const made = (await find())!;
    await database.write(createTables(made.id));
    return made;
  }
  // A page of signs alone has no vectors, and a collection that holds no other has no dimension yet.
  if (dimension === 0 || known.dimension === dimension) return known;
  if (known.dimension > 0) {
    throw new Error(
      `${model} makes vectors of ${dimension} numbers now, and ${known.dimension} when ${shelf} was indexed. Run \`npm run index -- --rebuild\`.`,
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
