import { setTimeout as pause } from "node:timers/promises";
import type { Embedder } from "./embedder";
import { listKnowledgeFiles, readKnowledgeFile } from "./knowledge-files.server";
import type { KnowledgeFile } from "./knowledge-files.server";
import { PageFault } from "./knowledge-page";
import { noModel } from "./search-files.store.server";
import type { SearchFiles, StoredIndex } from "./search-files.store.server";
import type { IndexedPage, ReadPage, SearchIndex } from "./search-index.server";

export type IndexReport = {
  indexed: number;
  unchanged: number;
  removed: number;
  passages: number;
  /** Pages by who may read them. */
  readers: { everyone: number; holders: number };
  broken: { source: string; reason: string }[];
};
export type IndexProgress = { done: number; total: number; source: string };

export type IndexOptions = {
  folder: string;
  index: SearchIndex;
  files: SearchFiles;
  /** null: pages are found by their words alone. */
  embedder: Embedder | null;
  /** Embeds everything again. */
  rebuild?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Called when deleted, broken and moved pages are no longer found, before anything is added. */
  onWithdrawn?: () => void;
  /** Called once, when another process is indexing. */
  onWait?: () => void;
};

const lockPauseMs = 100;
/** Small enough for every provider's limit on one request, and for a quick stop. */
const passagesAtOnce = 64;
/** A quick save follows each page. Slower ones take at most this part of a run. */
const quickSaveMs = 250;
const savingShare = 0.1;

/** One run, alone. A run that was cut short is resumed by the next one. Rejects if the model is unreachable. */
export async function indexKnowledge(options: IndexOptions): Promise<IndexReport> {
  const { index, files, rebuild = false } = options;
  return await runAlone(options, async () => {
    const found = await readFolder(options, rebuild ? null : await files.load());
    const counts = await embedAndSave(options, found.sources);
    return { ...counts, readers: index.countReaders(), broken: found.broken };
  });
}

/** Only one process at a time fills the files. */
export async function runAlone<Value>(
  { files, signal, onWait }: Pick<IndexOptions, "files" | "signal" | "onWait">,
  work: () => Promise<Value>,
): Promise<Value> {
  let release = await files.takeLock();
  if (!release) onWait?.();
  while (!release) {
    await pause(lockPauseMs, undefined, { signal });
    release = await files.takeLock();
  }
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * Brings the index in line with the folder, by words: no model is needed to find new pages, nor to withdraw old ones.
 * `stored` saves the reading of files that are as they were.
 */
export async function readFolder(
  { folder, index, signal, onWithdrawn }: Pick<IndexOptions, "folder" | "index" | "signal" | "onWithdrawn">,
  stored: StoredIndex | null,
) {
  const files = await listKnowledgeFiles(folder);
  const broken: IndexReport["broken"] = [];
  const changed: ReadPage[] = [];
  const removed = new Set(index.pages.keys());
  for (const file of files) {
    signal.throwIfAborted();
    const before = index.pages.get(file.source);
    const known = before ?? stored?.pages.get(file.source);
    const page = known?.stamp === file.stamp ? known : await readOrReport(folder, file, broken);
    // Pages for operators are not even stored.
    if (!page || index.toShelves(page.page).length === 0) continue;
    removed.delete(file.source);
    if (page.digest !== before?.digest) changed.push(page);
    else if (before) before.stamp = page.stamp;
  }
  for (const source of removed) await index.remove(source);
  for (const { page } of changed) if (index.isMoved(page)) await index.remove(page.source);
  onWithdrawn?.();
  for (const page of changed) await index.replace(page);
  return { sources: files.map(({ source }) => source), broken };
}

async function readOrReport(folder: string, file: KnowledgeFile, broken: IndexReport["broken"]) {
  try {
    return { ...(await readKnowledgeFile(folder, file)), stamp: file.stamp };
  } catch (error) {
    if (!(error instanceof PageFault)) throw error;
    broken.push({ source: file.source, reason: error.message });
    return null;
  }
}

/** The index may change meanwhile: only pages that are still in it are saved. */
export async function embedAndSave(options: IndexOptions, sources: readonly string[]) {
  const { index, files, embedder, rebuild = false, signal, onProgress } = options;
  const model = embedder?.model ?? noModel;
  const stored = rebuild ? null : await files.load();
  const done = adoptVectors(index, stored, model);
  const removed = [...(stored?.pages.keys() ?? [])].filter((source) => !index.pages.has(source)).length;
  const counts = { indexed: 0, unchanged: done.size, removed, passages: 0 };
  const isStamped = [...done].every(({ page, stamp }) => stored?.pages.get(page.source)?.stamp === stamp);
  let isSaved = stored?.model === model && removed === 0 && isStamped;
  let [savedAtMs, tookMs] = [performance.now(), 0];
  const save = async () => {
    const begunAtMs = performance.now();
    const current = [...done].filter((page) => index.pages.get(page.page.source) === page);
    await files.save(model, current);
    isSaved = true;
    savedAtMs = performance.now();
    tookMs = savedAtMs - begunAtMs;
  };
  try {
    for (const [at, source] of sources.entries()) {
      signal.throwIfAborted();
      onProgress?.({ done: at, total: sources.length, source });
      const page = index.pages.get(source);
      if (!page || done.has(page)) continue;
      await embedPage(page, done, options);
      done.add(page);
      counts.indexed += 1;
      counts.passages += page.passages.length;
      isSaved = false;
      if (tookMs < quickSaveMs || (performance.now() - savedAtMs) * savingShare > tookMs) await save();
    }
    onProgress?.({ done: sources.length, total: sources.length, source: "" });
  } catch (error) {
    if (counts.indexed > 0 && !isSaved) await save();
    throw error;
  }
  if (!isSaved) await save();
  return counts;
}

/** Takes the vectors of unchanged pages from the files, and returns these pages. */
export function adoptVectors(
  index: SearchIndex,
  stored: StoredIndex | null,
  model: string,
): Set<IndexedPage> {
  const adopted = new Set<IndexedPage>();
  for (const page of index.pages.values()) {
    const before = stored?.model === model ? stored.pages.get(page.page.source) : undefined;
    if (before?.digest !== page.digest) continue;
    for (const [at, passage] of page.passages.entries()) passage.vector = before.vectors[at] ?? null;
    adopted.add(page);
  }
  return adopted;
}

async function embedPage(
  { page, passages }: IndexedPage,
  done: ReadonlySet<IndexedPage>,
  { embedder, signal }: IndexOptions,
): Promise<void> {
  if (!embedder) return;
  const texts = page.passages.map(({ heading, text }) => `${page.title}\n${heading}\n${text}`);
  const vectors: (Float32Array | null)[] = [];
  for (let at = 0; at < texts.length; at += passagesAtOnce) {
    signal.throwIfAborted();
    vectors.push(...(await embedder.embed({ texts: texts.slice(at, at + passagesAtOnce), signal })));
  }
  const dimension = vectors.find((vector) => vector)?.length;
  const known = findDimension(done);
  if (dimension !== undefined && known !== undefined && dimension !== known) {
    throw new Error(
      `${embedder.model} makes vectors of ${dimension} numbers now, and made ${known} before. Run \`npm run index -- --rebuild\`.`,
    );
  }
  for (const [at, passage] of passages.entries()) passage.vector = vectors[at] ?? null;
}

function findDimension(pages: ReadonlySet<IndexedPage>): number | undefined {
  for (const { passages } of pages) {
    const found = passages.find(({ vector }) => vector)?.vector;
    if (found) return found.length;
  }
}
