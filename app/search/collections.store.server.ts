import type { KnowledgePage } from "./knowledge-page";
import { toPassageMetadata } from "./knowledge-page";
import type { SearchDatabase, SqlRow, SqlStatement } from "./search-database.store.server";
import { toSearchWords } from "./search-words";

/** Raised whenever pages are cut or words are read in another way: what was stored before is then made anew. */
const currentForm = 1;

/**
 * The passages of one namespace, all embedded by one model. Each has tables of its own, so that how often a word is
 * found in one namespace has no bearing on scores in another.
 */
export type Collection = { id: number; namespace: string; model: string; dimension: number };
export type StoredPage = { source: string; namespace: string; stamp: string; digest: string };
export type EmbeddedPage = {
  page: KnowledgePage;
  stamp: string;
  digest: string;
  /** One for each passage; null for a passage that only its words can find. */
  vectors: readonly (Float32Array | null)[];
};

export type CollectionStore = ReturnType<typeof createCollectionStore>;

const schema = [
  `CREATE TABLE IF NOT EXISTS collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, model TEXT NOT NULL, form INTEGER NOT NULL,
    dimension INTEGER NOT NULL, isLive INTEGER NOT NULL, UNIQUE (namespace, isLive))`,
  `CREATE TABLE IF NOT EXISTS pages (
    collection INTEGER NOT NULL, source TEXT NOT NULL, stamp TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (collection, source)) WITHOUT ROWID`,
].map((sql) => ({ sql }));

/** Fills the file. Every change of a page is one transaction: a process that is killed leaves whole pages only. */
export function createCollectionStore(database: SearchDatabase) {
  async function listCollections(): Promise<(Collection & { form: number; isLive: boolean })[]> {
    const [rows = []] = await database.read({ sql: "SELECT * FROM collections ORDER BY id" });
    return rows.map((row) => ({ ...toCollection(row), form: Number(row.form), isLive: Boolean(row.isLive) }));
  }

  /** Makes the tables, and drops what an earlier change of model has left unfinished. */
  async function prepare({ model }: { model: string }): Promise<void> {
    await database.write(schema);
    const all = await listCollections();
    const unfinished = all.filter((its) => !its.isLive && (its.model !== model || its.form !== currentForm));
    if (unfinished.length > 0) await database.write(unfinished.flatMap(({ id }) => dropCollection(id)));
    // A process that was killed may have entered a collection and not made its tables.
    const kept = all.filter((its) => !unfinished.includes(its));
    if (kept.length > 0) await database.write(kept.flatMap(({ id }) => createTables(id)));
  }

  /** The pages that need no embedding by this model any more. */
  async function listPages({ model }: { model: string }): Promise<StoredPage[]> {
    const [rows = []] = await database.read({
      sql: `SELECT source, namespace, stamp, digest FROM pages JOIN collections ON collections.id = collection
        WHERE model = ? AND form = ?`,
      args: [model, currentForm],
    });
    return rows as StoredPage[];
  }

  /** The namespace's collection of this model. A new one is made beside what answers, and answers after `finish`. */
  async function ensureCollection(wanted: Omit<Collection, "id">): Promise<Collection> {
    const { namespace, model, dimension } = wanted;
    const find = async () =>
      (await listCollections()).find(
        (known) => known.namespace === namespace && known.model === model && known.form === currentForm,
      );
    const known = await find();
    if (known) {
      // A page of signs alone has no vectors, and a collection that holds no other has no dimension yet.
      if (dimension === 0 || known.dimension === dimension) return known;
      if (known.dimension === 0) {
        await database.write([
          { sql: "UPDATE collections SET dimension = ? WHERE id = ?", args: [dimension, known.id] },
        ]);
        return { ...known, dimension };
      }
      throw new Error(
        `${model} makes vectors of ${dimension} numbers now, and ${known.dimension} when ${namespace} was indexed. Run \`npm run index -- --rebuild\`.`,
      );
    }
    await database.write([
      {
        sql: `INSERT INTO collections (namespace, model, form, dimension, isLive)
          VALUES (?, ?, ?, ?, 0)`,
        args: [namespace, model, currentForm, dimension],
      },
    ]);
    const made = (await find())!;
    await database.write(createTables(made.id));
    return made;
  }

  /** From this moment the page is in this collection, and in no other namespace. */
  async function replacePage({
    collection,
    page,
    stamp,
    digest,
    vectors,
  }: EmbeddedPage & { collection: Collection }): Promise<void> {
    const { id } = collection;
    const others = (await listCollections()).filter(({ namespace }) => namespace !== collection.namespace);
    await database.write([
      ...[collection, ...others].flatMap((its) => deletePage(its.id, page.source)),
      {
        sql: "INSERT INTO pages (collection, source, stamp, digest) VALUES (?, ?, ?, ?)",
        args: [id, page.source, stamp, digest],
      },
      ...page.passages.flatMap((_passage, index) =>
        insertPassage({ id, page, index, vector: vectors[index] }),
      ),
    ]);
  }

  /** The file was touched, its words are the same. */
  async function restamp({ source, stamp }: { source: string; stamp: string }): Promise<void> {
    await database.write([{ sql: "UPDATE pages SET stamp = ? WHERE source = ?", args: [stamp, source] }]);
  }

  /**
   * Pages stay only in the namespace they belong to, in all collections, those of earlier models included. Returns how
   * many belong nowhere any more.
   */
  async function keepOnly({ namespaces }: { namespaces: ReadonlyMap<string, string> }): Promise<number> {
    const [rows = []] = await database.read({
      sql: "SELECT collection, source, namespace FROM pages JOIN collections ON collections.id = collection",
    });
    const misplaced = rows.filter(({ source, namespace }) => namespaces.get(String(source)) !== namespace);
    for (const { collection, source } of misplaced) {
      await database.write(deletePage(Number(collection), String(source)));
    }
    const gone = misplaced.filter(({ source }) => !namespaces.has(String(source)));
    return new Set(gone.map(({ source }) => source)).size;
  }

  /** What was made beside another takes its place; what holds nothing of this model goes. */
  async function finish({ model }: { model: string }): Promise<void> {
    const all = await listCollections();
    const [rows = []] = await database.read({ sql: "SELECT DISTINCT collection FROM pages" });
    const filled = new Set(rows.map(({ collection }) => Number(collection)));
    const kept = all.filter((its) => its.model === model && its.form === currentForm && filled.has(its.id));
    const dropped = all.filter((its) => !kept.includes(its));
    if (dropped.length === 0 && kept.every(({ isLive }) => isLive)) return;
    await database.write([
      ...dropped.flatMap(({ id }) => dropCollection(id)),
      ...kept.map(({ id }) => ({ sql: "UPDATE collections SET isLive = 1 WHERE id = ?", args: [id] })),
    ]);
  }

  async function dropAll(): Promise<void> {
    await database.write(schema);
    await database.write((await listCollections()).flatMap(({ id }) => dropCollection(id)));
  }

  return { prepare, listPages, ensureCollection, replacePage, restamp, keepOnly, finish, dropAll };
}

export function toCollection(row: SqlRow): Collection {
  return {
    id: Number(row.id),
    namespace: String(row.namespace),
    model: String(row.model),
    dimension: Number(row.dimension),
  };
}

/** `words_*` keeps no text, only where its words are; `terms_*` is a view of it that tells how often. */
function createTables(id: number): SqlStatement[] {
  return [
    `CREATE TABLE IF NOT EXISTS passages_${id} (id INTEGER PRIMARY KEY, source TEXT NOT NULL, key TEXT NOT NULL,
      text TEXT NOT NULL, metadata TEXT NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS passages_${id}_source ON passages_${id} (source)`,
    `CREATE TABLE IF NOT EXISTS vectors_${id} (id INTEGER PRIMARY KEY, vector F32_BLOB NOT NULL)`,
    `CREATE VIRTUAL TABLE IF NOT EXISTS words_${id} USING fts5 (title, heading, text, content = '',
      contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0")`,
    `CREATE VIRTUAL TABLE IF NOT EXISTS terms_${id} USING fts5vocab (words_${id}, 'row')`,
  ].map((sql) => ({ sql }));
}

function dropCollection(id: number): SqlStatement[] {
  return [
    ...["terms", "words", "vectors", "passages"].map((name) => ({
      sql: `DROP TABLE IF EXISTS ${name}_${id}`,
    })),
    { sql: "DELETE FROM pages WHERE collection = ?", args: [id] },
    { sql: "DELETE FROM collections WHERE id = ?", args: [id] },
  ];
}

function deletePage(id: number, source: string): SqlStatement[] {
  const its = `(SELECT id FROM passages_${id} WHERE source = ?)`;
  return [
    { sql: `DELETE FROM words_${id} WHERE rowid IN ${its}`, args: [source] },
    { sql: `DELETE FROM vectors_${id} WHERE id IN ${its}`, args: [source] },
    { sql: `DELETE FROM passages_${id} WHERE source = ?`, args: [source] },
    { sql: "DELETE FROM pages WHERE collection = ? AND source = ?", args: [id, source] },
  ];
}

type PassagePlace = {
  id: number;
  page: KnowledgePage;
  index: number;
  vector: Float32Array | null | undefined;
};

function insertPassage({ id, page, index, vector }: PassagePlace): SqlStatement[] {
  const passage = page.passages[index]!;
  const words = (text: string) => toSearchWords(text).join(" ");
  const newest = `(SELECT max(id) FROM passages_${id})`;
  const statements: SqlStatement[] = [
    {
      sql: `INSERT INTO passages_${id} (source, key, text, metadata) VALUES (?, ?, ?, ?)`,
      args: [page.source, passage.id, passage.text, JSON.stringify(toPassageMetadata({ page, passage }))],
    },
    {
      sql: `INSERT INTO words_${id} (rowid, title, heading, text) VALUES (${newest}, ?, ?, ?)`,
      args: [
        page.title === passage.heading ? "" : words(page.title),
        words(passage.heading),
        words(passage.text),
      ],
    },
  ];
  if (!vector) return statements;
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  return [
    ...statements,
    { sql: `INSERT INTO vectors_${id} (id, vector) VALUES (${newest}, ?)`, args: [bytes] },
  ];
}
