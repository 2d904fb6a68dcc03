import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createKnowledgeSearch, knowledgeFolder } from "~/search/knowledge-search.server";
import { createTestDir } from "../databases/database";

/** A content folder with these pages and a data folder beside it, both removed when the test ends. */
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

/** The embedded search on that folder, as in a server. */
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
      info: () => undefined,
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
    return search.search({ query, index: "knowledge", namespace, topK, reader, ...rest });
  }
  const ask = async (query: string, namespace?: string) =>
    (await find({ query, namespace })).map(({ id }) => id);
  return { search, find, ask, warnings };
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

/** The vector files: the length of their vectors, and how many there are. */
export async function listVectors({ dataDir }: Pick<Knowledge, "dataDir">) {
  const names = (await readdir(dataDir)).filter((name) => name.endsWith(".f32"));
  return await Promise.all(
    names.map(async (name) => {
      const dimension = Number(name.split("-")[1]);
      const { size } = await stat(path.join(dataDir, name));
      return { dimension, vectors: size / (32 + dimension * 4) };
    }),
  );
}
