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
  ...changes
}: Pick<Knowledge, "contentDir" | "dataDir"> & Partial<Parameters<typeof createKnowledgeSearch>[0]>) {
  const warnings: string[] = [];
  const search = createKnowledgeSearch({
    contentDir,
    dataDir,
    embedder,
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
    ...rest
  }: { query: string } & Partial<Parameters<typeof search.search>[0]>) {
    return search.search({ query, index: "knowledge", namespace, topK, clientId: "client", ...rest });
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
      store: createCollectionStore(database),
      lock: database,
      embedder,
      signal: new AbortController().signal,
      ...changes,
    });
  } finally {
    await database.close();
  }
}
