import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import Sqlite from "libsql";
import type { KnowledgePage } from "./knowledge-page";
import type { IndexedPage } from "./search-index.server";

/** Raised when pages are cut in another way. Older files are then made again. */
const currentForm = 5;
/** In place of a model: the passages are found by their words alone. */
export const noModel = "";
/** The index of earlier versions. */
const formerFile = /^search\.db/;
const vectorFile = /^search-[0-9a-f-]+\.f32$/;

type Vectors = readonly (Float32Array | null)[];
export type StoredPage = { page: KnowledgePage; stamp: string; digest: string; vectors: Vectors };
export type StoredIndex = { model: string; pages: ReadonlyMap<string, StoredPage> };
/** `rows`: where in the file of vectors each passage's is; null, or missing, for what only words can find. */
type PageEntry = Omit<StoredPage, "vectors"> & { rows: (number | null)[] };
type IndexEntry = { form: number; model: string; dimension: number; vectors: string; pages: PageEntry[] };

export type SearchFiles = ReturnType<typeof createSearchFiles>;

/** The pages as they were last read, in `search.json`, and the vectors of their passages in a file beside it. */
export function createSearchFiles(dataDir: string) {
  const file = path.join(dataDir, "search.json");
  let knownStamp = "";

  async function readStamp(): Promise<string> {
    const found = await stat(file).catch(() => null);
    return found ? `${found.mtimeMs}-${found.size}-${found.ino}` : "";
  }

  /** null: nothing that can be used. */
  async function load(): Promise<StoredIndex | null> {
    knownStamp = await readStamp();
    try {
      const entry = JSON.parse(await readFile(file, "utf8")) as IndexEntry;
      if (entry.form !== currentForm) return null;
      const getVector = await readVectors(path.join(dataDir, entry.vectors), entry);
      const pages = entry.pages.map(({ rows, ...page }) => ({ ...page, vectors: rows.map(getVector) }));
      return { model: entry.model, pages: new Map(pages.map((page) => [page.page.source, page])) };
    } catch {
      return null;
    }
  }

  /** Replaces all. The new vectors have a name of their own, so a killed process leaves a whole pair. */
  async function save(model: string, pages: Iterable<IndexedPage>): Promise<void> {
    const chunks: Float32Array[] = [];
    const toRow = (vector: Float32Array | null) => (vector ? chunks.push(vector) - 1 : null);
    const entries = [...pages].map(({ page, stamp, digest, passages }) => {
      return { page, stamp, digest, rows: passages.map(({ vector }) => toRow(vector)) };
    });
    const id = randomUUID();
    const vectors = `search-${id}.f32`;
    const dimension = chunks[0]?.length ?? 0;
    const all = new Float32Array(chunks.length * dimension);
    for (const [row, vector] of chunks.entries()) all.set(vector, row * dimension);
    const entry: IndexEntry = { form: currentForm, model, dimension, vectors, pages: entries };
    await writeFile(path.join(dataDir, vectors), new Uint8Array(all.buffer), { mode: 0o600 });
    await writeFile(`${file}.new`, JSON.stringify(entry), { mode: 0o600 });
    await rename(`${file}.new`, file);
    knownStamp = await readStamp();
    for (const name of await readdir(dataDir)) {
      const isOld = vectorFile.test(name) ? name !== vectors : formerFile.test(name);
      if (isOld) await rm(path.join(dataDir, name), { force: true });
    }
  }

  return {
    load,
    save,
    /** Whether another process saved since this one last loaded or saved. */
    isChanged: async () => (await readStamp()) !== knownStamp,
    takeLock: () => takeLock(dataDir),
  };
}

async function readVectors(file: string, { dimension }: IndexEntry) {
  const bytes = await readFile(file);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return (row: number | null): Float32Array | null => {
    if (row === null) return null;
    const vector = all.subarray(row * dimension, (row + 1) * dimension);
    if (vector.length !== dimension) throw new Error("The file of vectors is too short.");
    return vector;
  };
}

/**
 * Only one process may fill the files. null: another one does. Node has no file locks, so this one is SQLite's: the
 * system releases it when the process is killed.
 */
async function takeLock(dataDir: string): Promise<(() => void) | null> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = new Sqlite(path.join(dataDir, "search.lock"), { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return () => void lock.close();
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === "SQLITE_BUSY") return null;
    throw error;
  }
}
