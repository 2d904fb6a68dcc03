import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createCollectionStore } from "~/search/collections.store.server";
import { indexKnowledge } from "~/search/index-knowledge.server";
import { createKnowledgeSearch, knowledgeFolder, searchFile } from "~/search/knowledge-search.server";
import { openSearchDatabase } from "~/search/search-database.store.server";
import { createTestDir } from "./databases/database";

/** A content folder with these pages, and a data folder beside it; both are removed when the test ends. */
export async function createKnowledge(pages: Record<string, string | Uint8Array> = {}) {
  const dir = await createTestDir();
  const [contentDir, dataDir] = [path.join(dir, "content"), path.join(dir, "data")];
  const folder = knowledgeFolder(contentDir);
  await mkdir(folder, { recursive: true });
  await mkdir(dataDir);
  async function write(name: string, text: string | Uint8Array): Promise<void> {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  for (const [name, text] of Object.entries(pages)) await write(name, text);
  const remove = (name: string) => rm(path.join(folder, name), { recursive: true });
  return { contentDir, dataDir, folder, write, remove };
}

export type Knowledge = Awaited<ReturnType<typeof createKnowledge>>;

/** The embedded search on that folder, as a server has it. */
export function openKnowledgeSearch({
  contentDir,
  dataDir,
  embedder = null,
  defaultAudience = "holders",
  ...changes
}: Pick<Knowledge, "contentDir" | "dataDir"> & Partial<Parameters<typeof createKnowledgeSearch>[0]>) {
  const warnings: string[] = [];
  const search = createKnowledgeSearch({
    contentDir,
    dataDir,
    embedder,
    defaultAudience,
    clock: Date.now,
    log: {
      warn: ({ err: _err, ...fields }, message) =>
        warnings.push([message, ...Object.values(fields)].join(": ")),
    },
    ...changes,
  });
  onTestFinished(() => search.stop());
  async function find({
    query,
    namespace = "__default__",
    topK = 5,
    reader = "holders",
    ...rest
  }: { query: string } & Partial<Parameters<typeof search.search>[0]>) {
    return search.search({ query, index: "knowledge", namespace, topK, reader, clientId: "client", ...rest });
  }
  const ask = async (query: string, namespace?: string) =>
    (await find({ query, namespace })).map(({ id }) => id);
  return { search, find, ask, warnings };
}

/** One run of indexing, as `npm run index` does it. */
export async function runIndex({
  dataDir,
  folder,
  embedder = null,
  ...changes
}: Pick<Knowledge, "dataDir" | "folder"> & Partial<Parameters<typeof indexKnowledge>[0]>) {
  const database = openSearchDatabase({ file: searchFile(dataDir) });
  try {
    return await indexKnowledge({
      folder,
      store: createCollectionStore(database, "holders"),
      lock: database,
      embedder,
      signal: new AbortController().signal,
      ...changes,
    });
  } finally {
    await database.close();
  }
}

export const pageCount = 40;

export function manyPages(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: pageCount }, (_, index) => [
      `p${String(index).padStart(2, "0")}.md`,
      `# Page ${index}\n\nNumber${index} is here.\n\n## More\n\nStill number${index}.`,
    ]),
  );
}

/** What is wrong with the file, and how many rows of each kind it holds for its pages. The shelves are the holders'. */
export async function inspect({ dataDir }: Pick<Knowledge, "dataDir">) {
  const database = openSearchDatabase({ file: searchFile(dataDir) });
  try {
    const [check, collections = [], pages] = await database.read(
      { sql: "PRAGMA integrity_check" },
      { sql: "SELECT id, namespace, model, isLive FROM collections ORDER BY id" },
      { sql: "SELECT count(*) AS count FROM pages" },
    );
    const counts = [];
    for (const { id } of collections) {
      const rows = await database.read(
        ...["passages", "vectors", "words"].map((name) => ({
          sql: `SELECT count(*) AS count FROM ${name}_${Number(id)}`,
        })),
      );
      counts.push(rows.map(([row]) => Number(row?.count)));
    }
    const models = collections.map(({ namespace, model, isLive }) => [
      String(namespace).replace(/^holders:/, ""),
      model,
      isLive,
    ]);
    return { check: check?.[0]?.integrity_check, models, pages: Number(pages?.[0]?.count), counts };
  } finally {
    await database.close();
  }
}
