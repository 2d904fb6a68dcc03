import { setTimeout as pause } from "node:timers/promises";
import type { CollectionStore } from "./collections.store.server";
import type { Embedder } from "./embedder";
import { listKnowledgeFiles, readKnowledgeFile } from "./knowledge-files.server";
import type { KnowledgeFile } from "./knowledge-files.server";
import { PageFault } from "./knowledge-page";
import type { KnowledgePage } from "./knowledge-page";

export type BrokenPage = { source: string; reason: string };
export type IndexReport = {
  indexed: number;
  unchanged: number;
  removed: number;
  passages: number;
  broken: BrokenPage[];
};
export type IndexProgress = { done: number; total: number; source: string };

export type IndexOptions = {
  folder: string;
  store: CollectionStore;
  lock: { takeLock: () => Promise<boolean>; releaseLock: () => Promise<void> };
  embedder: Embedder;
  /** Drops everything first. */
  rebuild?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Whether the model may be asked now; without it only what must not be found any more is taken out. */
  mayEmbed?: boolean;
  /** Told when that is done, before anything is embedded. */
  onWithdrawn?: () => void;
  /** Told once, when another process is at it. */
  onWait?: () => void;
};

const lockPauseMs = 100;
/** Small enough for every provider's limit on one request, and for a passage that waits to be told to stop. */
const passagesAtOnce = 64;

/**
 * Brings the store in line with the folder. First it takes out what is gone, broken, or now in another namespace,
 * which needs no model: whoever may not find a page any more must not find it while a provider is slow or away. Then it
 * reads what changed and embeds it. Page by page, so a run
 * that was cut short, by a signal or by being killed, is taken up by the next one where it ended. Only one process
 * fills a file; another one waits, and then finds little to do. Rejects when the model cannot be asked.
 */
export async function indexKnowledge(options: IndexOptions): Promise<IndexReport> {
  const { lock, signal, onWait } = options;
  let hasWaited = false;
  while (!(await lock.takeLock())) {
    if (!hasWaited) onWait?.();
    hasWaited = true;
    await pause(lockPauseMs, undefined, { signal });
  }
  try {
    return await indexAlone(options);
  } finally {
    await lock.releaseLock();
  }
}

async function indexAlone(options: IndexOptions): Promise<IndexReport> {
  const { folder, store, embedder, signal, onProgress, rebuild = false, mayEmbed = true } = options;
  const { model } = embedder;
  if (rebuild) await store.dropAll();
  await store.prepare({ model });
  const files = await listKnowledgeFiles(folder);
  const known = new Map((await store.listPages({ model })).map((page) => [page.source, page]));
  const report: IndexReport = { indexed: 0, unchanged: 0, removed: 0, passages: 0, broken: [] };
  const namespaces = await readNamespaces({ folder, files, known, signal, report });
  // Whatever is broken is not kept either: what it said before is not what its author wants to say now.
  report.removed = await store.keepOnly({ namespaces });
  options.onWithdrawn?.();
  if (!mayEmbed) return report;
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted();
    onProgress?.({ done: index, total: files.length, source: file.source });
    const before = known.get(file.source);
    if (before?.stamp === file.stamp) report.unchanged += 1;
    else if (!namespaces.has(file.source)) continue;
    else if (!(await indexFile({ folder, file, before, store, embedder, signal, report }))) {
      namespaces.delete(file.source);
    }
  }
  report.removed += await store.keepOnly({ namespaces });
  await store.finish({ model });
  onProgress?.({ done: files.length, total: files.length, source: "" });
  return report;
}

/** Where each page belongs now. What is no page is reported, and belongs nowhere. */
async function readNamespaces({
  folder,
  files,
  known,
  signal,
  report,
}: Pick<FileOptions, "folder" | "signal" | "report"> & {
  files: readonly KnowledgeFile[];
  known: ReadonlyMap<string, { stamp: string; namespace: string }>;
}): Promise<Map<string, string>> {
  const namespaces = new Map<string, string>();
  for (const file of files) {
    signal.throwIfAborted();
    const before = known.get(file.source);
    if (before?.stamp === file.stamp) {
      namespaces.set(file.source, before.namespace);
      continue;
    }
    const read = await readOrReport({ folder, file, report });
    if (read) namespaces.set(file.source, read.page.namespace);
  }
  return namespaces;
}

type FileOptions = Pick<IndexOptions, "folder" | "store" | "embedder" | "signal"> & {
  file: KnowledgeFile;
  before: { namespace: string; digest: string } | undefined;
  report: IndexReport;
};

/** Whether the file is a page that is in the store now. */
async function indexFile(options: FileOptions): Promise<boolean> {
  const { folder, file, before, store, embedder, signal, report } = options;
  const { source, stamp } = file;
  const read = await readOrReport({ folder, file, report });
  if (!read) return false;
  const { page, digest } = read;
  if (before?.digest === digest) {
    await store.restamp({ source, stamp });
    report.unchanged += 1;
    return true;
  }
  const vectors = await embedPassages(page, embedder, signal);
  const dimension = vectors.find((vector) => vector !== null)?.length ?? 0;
  const { namespace } = page;
  const collection = await store.ensureCollection({ namespace, model: embedder.model, dimension });
  await store.replacePage({ collection, page, stamp, digest, vectors });
  report.indexed += 1;
  report.passages += page.passages.length;
  return true;
}

async function readOrReport({
  folder,
  file,
  report,
}: Pick<FileOptions, "folder" | "file" | "report">): Promise<{ page: KnowledgePage; digest: string } | null> {
  try {
    return await readKnowledgeFile(folder, file);
  } catch (error) {
    if (!(error instanceof PageFault)) throw error;
    report.broken.push({ source: file.source, reason: error.message });
    return null;
  }
}

async function embedPassages(
  page: KnowledgePage,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<(Float32Array | null)[]> {
  const texts = page.passages.map(({ heading, text }) => `${page.title}\n${heading}\n${text}`);
  const vectors: (Float32Array | null)[] = [];
  for (let at = 0; at < texts.length; at += passagesAtOnce) {
    signal.throwIfAborted();
    vectors.push(...(await embedder.embed({ texts: texts.slice(at, at + passagesAtOnce), signal })));
  }
  return vectors;
}
