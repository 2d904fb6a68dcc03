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
import type { PassageStore } from "./passages.store.server";
import { listKnowledgeFiles } from "./knowledge-files.server";
import { openSearchDatabase } from "./search-database.store.server";
import type { SqlClient } from "./search-database.store.server";
import type { SearchStore } from "./search-store";

export type KnowledgeSearch = SearchStore & {
  /** Looks at the folder now and indexes what changed; joins a look that is under way. Never rejects. */
  refresh: () => Promise<void>;
};

export const knowledgeFolder = (contentDir: string) => path.join(contentDir, "knowledge");
export const searchFile = (dataDir: string) => path.join(dataDir, "search.db");

const embeddedIndex = "knowledge";
/** How long the first question may wait for the first index there ever was, and any for a look at the folder. */
const longestWaitMs = 5_000;
/** After an embedding that failed, so that a provider that is away is not asked with every question. */
const failurePauseMs = 30_000;

type CreateKnowledgeSearchOptions = {
  contentDir: string;
  dataDir: string;
  /** Embeds pages; questions are embedded by the one that their namespace was made with. */
  embedder: Embedder;
  findEmbedder: (model: string) => Embedder | null;
  clock: Clock;
  recheckMs?: number;
  onReport?: (report: IndexReport) => void;
  warn: (message: string, error?: unknown) => void;
};

/**
 * The embedded store: one file in the data folder. The folder is looked at when the search starts, and again when a
 * question comes more than `recheckMs` after the last look. What must not be found any more is taken out before that
 * question is answered; what is new is embedded beside the answer.
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
}: CreateKnowledgeSearchOptions): KnowledgeSearch {
  const database = openSearchDatabase({ file: searchFile(dataDir) });
  const stopping = new AbortController();
  const reported = new Set<string>();
  const folder = knowledgeFolder(contentDir);
  let nextLookAtMs = Number.NEGATIVE_INFINITY;
  /** The folder as the last look left it. */
  let seen: string | null = null;
  let looking: Promise<void> | null = null;
  /** Of the look that is under way: nothing is found any more that must not be. */
  let withdrawing: Promise<void> = Promise.resolve();
  let nextEmbeddingAtMs = Number.NEGATIVE_INFINITY;
  let hasLooked = false;

  async function look(onWithdrawn: () => void): Promise<void> {
    const mayEmbed = clock() >= nextEmbeddingAtMs;
    try {
      const found = (await listKnowledgeFiles(folder)).map(({ source, stamp }) => `${source}:${stamp}`);
      if (found.join("|") !== seen) await fill({ mayEmbed, onWithdrawn });
      if (mayEmbed) seen = found.join("|");
    } catch (error) {
      nextEmbeddingAtMs = clock() + failurePauseMs;
      if (!stopping.signal.aborted)
        warn("The knowledge could not be indexed; what was indexed answers", error);
    } finally {
      nextLookAtMs = clock() + recheckMs;
      hasLooked = true;
    }
  }

  /** Through a connection of its own: questions are answered meanwhile. */
  async function fill(steps: { mayEmbed: boolean; onWithdrawn: () => void }): Promise<void> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const filling = openSearchDatabase({ file: searchFile(dataDir) });
    try {
      const report = await indexKnowledge({
        folder,
        store: createCollectionStore(filling),
        lock: filling,
        embedder,
        signal: stopping.signal,
        ...steps,
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
    if (looking) return looking;
    let onWithdrawn = () => {};
    withdrawing = new Promise((resolve) => (onWithdrawn = resolve));
    looking = look(onWithdrawn).finally(() => {
      looking = null;
      onWithdrawn();
    });
    return looking;
  }

  const openStore = (client: SqlClient) => createPassageStore(database.readFor(client));

  async function waitForLook(store: PassageStore): Promise<void> {
    if (clock() >= nextLookAtMs && !stopping.signal.aborted) void refresh();
    if (!looking) return;
    const isFirst = !hasLooked && (await store.listCollections()).length === 0;
    const limit = new AbortController();
    await Promise.race([
      isFirst ? looking : withdrawing,
      pause(longestWaitMs, undefined, { signal: limit.signal, ref: false }),
    ]);
    limit.abort();
  }

  return {
    vendor: "libsql",
    indexes: [embeddedIndex],
    refresh,
    async listNamespaces(place) {
      const store = openStore(place);
      await waitForLook(store);
      return listStoredNamespaces(store);
    },
    async search(question) {
      const store = openStore(question);
      await waitForLook(store);
      return findPassages({ ...question, store, findEmbedder, warn });
    },
    async stop() {
      stopping.abort();
      await looking;
      await database.close();
    },
  };
}
