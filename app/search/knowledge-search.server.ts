import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "~/platform/clock";
import { createCollectionStore } from "./collections.store.server";
import type { Embedder } from "./embedder";
import { findPassages, listStoredNamespaces } from "./find-passages.server";
import { indexKnowledge } from "./index-knowledge.server";
import type { IndexReport } from "./index-knowledge.server";
import { createPassageStore } from "./passages.store.server";
import { listKnowledgeFiles } from "./knowledge-files.server";
import { openSearchDatabase } from "./search-database.store.server";
import type { SearchStore } from "./search-store";

export type KnowledgeSearch = SearchStore & {
  /** Looks at the folder now and indexes what changed; joins a look that is under way. Never rejects. */
  refresh: () => Promise<void>;
};

export const knowledgeFolder = (contentDir: string) => path.join(contentDir, "knowledge");
export const searchFile = (dataDir: string) => path.join(dataDir, "search.db");

const embeddedIndex = "knowledge";
/** How long the first question may wait for the first index there ever was. */
const firstIndexWaitMs = 5_000;
/** After a look that failed, so that a provider that is away is not asked with every question. */
const failurePauseMs = 30_000;

/**
 * The embedded store: one file in the data folder. The folder is looked at when the search starts, and again, beside
 * the answer, when a question comes more than `recheckMs` after the last look.
 */
export function createKnowledgeSearch({
  contentDir,
  dataDir,
  embedder,
  findEmbedder,
  clock,
  recheckMs = 1_000,
  onReport,
  warn,
}: {
  contentDir: string;
  dataDir: string;
  /** Embeds pages; questions are embedded by the one that their namespace was made with. */
  embedder: Embedder;
  findEmbedder: (model: string) => Embedder | null;
  clock: Clock;
  recheckMs?: number;
  onReport?: (report: IndexReport) => void;
  warn: (message: string, error?: unknown) => void;
}): KnowledgeSearch {
  const database = openSearchDatabase({ file: searchFile(dataDir) });
  const store = createPassageStore({ database });
  const stopping = new AbortController();
  const reported = new Set<string>();
  const folder = knowledgeFolder(contentDir);
  let nextLookAtMs = Number.NEGATIVE_INFINITY;
  /** The folder as the last look left it. */
  let seen: string | null = null;
  let looking: Promise<void> | null = null;
  let hasLooked = false;

  async function look(): Promise<void> {
    try {
      const found = (await listKnowledgeFiles({ folder })).map(({ source, stamp }) => `${source}:${stamp}`);
      if (found.join("|") !== seen) await fill();
      seen = found.join("|");
      nextLookAtMs = clock() + recheckMs;
    } catch (error) {
      nextLookAtMs = clock() + failurePauseMs;
      if (!stopping.signal.aborted)
        warn("The knowledge could not be indexed; what was indexed answers", error);
    } finally {
      hasLooked = true;
    }
  }

  /** Through a connection of its own: questions are answered meanwhile. */
  async function fill(): Promise<void> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const filling = openSearchDatabase({ file: searchFile(dataDir) });
    try {
      const report = await indexKnowledge({
        folder,
        store: createCollectionStore({ database: filling }),
        lock: filling,
        embedder,
        signal: stopping.signal,
      });
      for (const { source, reason } of report.broken) {
        if (reported.has(`${source}: ${reason}`)) continue;
        reported.add(`${source}: ${reason}`);
        warn(`The knowledge page ${source} is left out: ${reason}`);
      }
      onReport?.(report);
    } finally {
      await filling.close();
    }
  }

  function refresh(): Promise<void> {
    looking ??= look().finally(() => (looking = null));
    return looking;
  }

  async function waitForFirstIndex(): Promise<void> {
    if (clock() >= nextLookAtMs && !stopping.signal.aborted) void refresh();
    if (hasLooked || !looking || (await store.listCollections()).length > 0) return;
    const limit = new AbortController();
    await Promise.race([looking, pause(firstIndexWaitMs, undefined, { signal: limit.signal, ref: false })]);
    limit.abort();
  }

  return {
    vendor: "libsql",
    indexes: [embeddedIndex],
    refresh,
    async listNamespaces() {
      await waitForFirstIndex();
      return listStoredNamespaces(store);
    },
    async search(question) {
      await waitForFirstIndex();
      return findPassages({ ...question, store, findEmbedder, warn });
    },
    async stop() {
      stopping.abort();
      await looking;
      await database.close();
    },
  };
}
