import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { embedPassages, readFolder } from "~/search/index-knowledge.server";
import { listKnowledgeFiles } from "~/knowledge/knowledge-files.server";
import { createSearchIndex } from "~/search/search-index.server";

type Run = { folder: string; dataDir: string; embedder: Embedder } & Partial<
  Pick<Parameters<typeof embedPassages>[0], "signal" | "rebuild" | "onProgress" | "onWait">
>;

/** One run, as `npm run index` does it. */
export async function runIndex({ folder, signal = new AbortController().signal, ...run }: Run) {
  const index = createSearchIndex("holders");
  const report = await readFolder({ folder, files: await listKnowledgeFiles(folder), index, signal });
  return { ...report, embedded: await embedPassages({ ...run, index, signal }) };
}
