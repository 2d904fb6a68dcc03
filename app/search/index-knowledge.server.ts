import { setTimeout as pause } from "node:timers/promises";
import { noModel } from "./collections.store.server";
import type { CollectionStore, StoredPage } from "./collections.store.server";
import type { Embedder } from "./embedder";
import { listKnowledgeFiles, readKnowledgeFile } from "./knowledge-files.server";
import type { KnowledgeFile } from "./knowledge-files.server";
import { PageFault } from "./knowledge-page";
import type { KnowledgePage } from "./knowledge-page";

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
  store: CollectionStore;
  lock: { takeLock: () => Promise<boolean>; releaseLock: () => Promise<void> };
  /** null: pages are found by their words alone. */
  embedder: Embedder | null;
  /** Drops everything first. */
  rebuild?: boolean;
  signal: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Whether the model may be asked now; without it only what must not be found any more is taken out. */
  mayEmbed?: boolean;
  /** Called when that is done, before anything is embedded. */
  onWithdrawn?: () => void;
  /** Called once, when another process is indexing. */
  onWait?: () => void;
};

const lockPauseMs = 100;
/** Small enough for every provider's limit on one request, and for a stop to be heard soon. */
const passagesAtOnce = 64;

/**
 * What must not be found any more goes first, without a model: not even a provider that is away keeps it findable. A run
 * that was cut short is resumed by the next one, and only one process fills a file. Rejects where no model can be asked.
 */
export async function indexKnowledge(options: IndexOptions): Promise<IndexReport> {
  const { lock, signal, onWait } = options;
  for (let attempt = 0; !(await lock.takeLock()); attempt++) {
    if (attempt === 0) onWait?.();
    await pause(lockPauseMs, undefined, { signal });
  }
  try {
    return await indexAlone(options);
  } finally {
    await lock.releaseLock();
  }
}

/** `known`: the stored pages by their source. `shelves`: where each page belongs now. */
type Run = IndexOptions & {
  model: string;
  known: ReadonlyMap<string, StoredPage>;
  shelves: Map<string, readonly string[]>;
  report: IndexReport;
};

async function indexAlone(options: IndexOptions): Promise<IndexReport> {
  const { folder, store, embedder, signal, onProgress, rebuild = false, mayEmbed = true } = options;
  const model = embedder?.model ?? noModel;
  if (rebuild) await store.dropAll();
  await store.prepare(model);
  const files = await listKnowledgeFiles(folder);
  const known = new Map((await store.listPages(model)).map((page) => [page.source, page]));
  const report: IndexReport = {
    indexed: 0,
    unchanged: 0,
    removed: 0,
    passages: 0,
    readers: { everyone: 0, holders: 0 },
    broken: [],
  };
  const shelves = new Map<string, readonly string[]>();
  const run: Run = { ...options, model, known, shelves, report };
  for (const file of files) await findShelves(run, file);
  report.readers = countReaders([...shelves.values()]);
  // Whatever is broken is not kept either: what it said before is not what its author wants to say now.
  report.removed = await store.keepOnly(shelves);
  options.onWithdrawn?.();
  if (!mayEmbed) return report;
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted();
    onProgress?.({ done: index, total: files.length, source: file.source });
    if (shelves.get(file.source)?.length) await indexFile(run, file);
  }
  report.removed += await store.keepOnly(shelves);
  await store.finish(model);
  onProgress?.({ done: files.length, total: files.length, source: "" });
  return report;
}

/** What is no page is reported, and belongs nowhere. */
async function findShelves(run: Run, file: KnowledgeFile): Promise<void> {
  run.signal.throwIfAborted();
  const before = run.known.get(file.source);
  if (before?.stamp === file.stamp) run.shelves.set(file.source, before.shelves);
  else {
    const read = await readOrReport(run, file);
    if (read) run.shelves.set(file.source, run.store.shelvesOf(read.page));
  }
}

/** A page for everyone is on both readers' shelves. */
function countReaders(shelves: readonly (readonly string[])[]): IndexReport["readers"] {
  const count = (least: number) => shelves.filter(({ length }) => length >= least).length;
  return { everyone: count(2), holders: count(1) };
}

async function indexFile(run: Run, file: KnowledgeFile): Promise<void> {
  const { store, model, report } = run;
  const { source, stamp } = file;
  const before = run.known.get(source);
  if (before?.stamp === stamp) {
    report.unchanged += 1;
    return;
  }
  const read = await readOrReport(run, file);
  if (!read) {
    run.shelves.delete(source);
    return;
  }
  const { page, digest } = read;
  const shelves = store.shelvesOf(page);
  // It may have changed since it was first read.
  run.shelves.set(source, shelves);
  if (before?.digest === digest) {
    await store.restamp(source, stamp);
    report.unchanged += 1;
    return;
  }
  const vectors = await embedPassages(page, run);
  const dimension = vectors.find((vector) => vector !== null)?.length ?? 0;
  const collections = [];
  for (const shelf of shelves) {
    collections.push(await store.ensureCollection({ shelf, model, dimension }));
  }
  await store.replacePage({ collections, page, stamp, digest, vectors });
  report.indexed += 1;
  report.passages += page.passages.length;
}

async function readOrReport({ folder, report }: Run, file: KnowledgeFile) {
  try {
    return await readKnowledgeFile(folder, file);
  } catch (error) {
    if (!(error instanceof PageFault)) throw error;
    report.broken.push({ source: file.source, reason: error.message });
    return null;
  }
}

async function embedPassages({ title, passages }: KnowledgePage, { embedder, signal }: Run) {
  if (!embedder) return [];
  const texts = passages.map(({ heading, text }) => `${title}\n${heading}\n${text}`);
  const vectors: (Float32Array | null)[] = [];
  for (let at = 0; at < texts.length; at += passagesAtOnce) {
    signal.throwIfAborted();
    vectors.push(...(await embedder.embed({ texts: texts.slice(at, at + passagesAtOnce), signal })));
  }
  return vectors;
}
