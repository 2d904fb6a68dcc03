import { setTimeout as pause } from "node:timers/promises";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { readKnowledgeFile } from "~/knowledge/knowledge-files.server";
import type { KnowledgeFile } from "~/knowledge/knowledge-files.server";
import { PageFault } from "~/knowledge/knowledge-page";
import { pace } from "./search-index.server";
import type { SearchIndex } from "./search-index.server";
import { openVectorFile, takeLock } from "./vectors.store.server";

type ReadOptions = {
  folder: string;
  files: readonly KnowledgeFile[];
  index: SearchIndex;
  signal: AbortSignal;
};
type EmbedOptions = {
  index: SearchIndex;
  dataDir: string;
  embedder: Embedder;
  /** Embeds everything again. */
  rebuild?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: { done: number; total: number; source: string }) => void;
  /** Called once, when another process embeds. */
  onWait?: () => void;
};

/** For texts that the model has no vector for. */
const nothing = new Float32Array(0);
const lockPauseMs = 100;
/** Within every provider's limit on one request. */
const passagesAtOnce = 64;

/** Brings the index in line with the folder. Changed and removed files leave first, because they may be gated now. */
export async function readFolder({ folder, files, index, signal }: ReadOptions) {
  const stamps = new Map(files.map(({ source, stamp }) => [source, stamp]));
  const broken: { source: string; reason: string }[] = [];
  const counts = { indexed: 0, removed: 0, passages: 0 };
  const before = new Set(index.pages.keys());
  for (const [source, { stamp }] of [...index.pages]) {
    if (stamps.get(source) !== stamp) await index.remove(source);
    if (!stamps.has(source)) counts.removed += 1;
  }
  for (const file of files) {
    signal.throwIfAborted();
    if (index.pages.has(file.source)) continue;
    try {
      const page = await readKnowledgeFile(folder, file);
      const passages = await index.add(page, file.stamp);
      counts.indexed += passages > 0 ? 1 : 0;
      counts.passages += passages;
    } catch (error) {
      if (!(error instanceof PageFault)) throw error;
      broken.push({ source: file.source, reason: error.message });
      if (before.has(file.source)) counts.removed += 1;
    }
    await pace();
  }
  return { ...counts, broken, readers: index.countReaders() };
}

/** Embeds missing vectors, and returns their number. The next run continues after an interruption. */
export async function embedPassages(options: EmbedOptions): Promise<number> {
  const { index, dataDir, embedder, rebuild = false, signal, onProgress, onWait } = options;
  let release = await takeLock(dataDir);
  if (!release) onWait?.();
  while (!release) {
    await pause(lockPauseMs, undefined, { signal });
    release = await takeLock(dataDir);
  }
  try {
    const passages = [...index.passages.values()];
    const used = new Set(rebuild ? [] : passages.map(({ digest }) => digest));
    const { vectors, add } = await openVectorFile(dataDir, embedder.model, used);
    for (const passage of passages) passage.vector = vectors.get(passage.digest) ?? null;
    const missing = passages.filter(({ vector }) => !vector);
    for (let at = 0; at < missing.length; at += passagesAtOnce) {
      signal.throwIfAborted();
      const batch = missing.slice(at, at + passagesAtOnce);
      onProgress?.({ done: at, total: missing.length, source: batch[0]!.fields.id });
      const made = await embedder.embed({ texts: batch.map(({ embedded }) => embedded), signal });
      const rows = batch.flatMap(({ digest }, nth) => (made[nth] ? { digest, vector: made[nth] } : []));
      await add(rows);
      for (const [nth, passage] of batch.entries()) passage.vector = made[nth] ?? nothing;
    }
    onProgress?.({ done: missing.length, total: missing.length, source: "" });
    return missing.length;
  } finally {
    release();
  }
}
