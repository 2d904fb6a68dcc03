import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "~/platform/clock";
import { shelfOf } from "./audience";
import type { Reader } from "./audience";
import { createCollectionStore } from "./collections.store.server";
import type { Collection } from "./collections.store.server";
import type { Embedder } from "./embedder";
import { findPassages, listStoredNamespaces } from "./find-passages.server";
import { indexKnowledge } from "./index-knowledge.server";
import type { IndexReport } from "./index-knowledge.server";
import { listKnowledgeFiles } from "./knowledge-files.server";
import { createPassageStore } from "./passages.store.server";
import { openSearchDatabase } from "./search-database.store.server";
import type { SearchStore } from "./search-store";
import type { WarnLog } from "~/platform/log.server";

export type KnowledgeSearch = SearchStore & {
  /** Checks the folder and indexes changes; joins a check in progress. Never rejects. */
  refresh: () => Promise<void>;
};

export const knowledgeFolder = (contentDir: string) => path.join(contentDir, "knowledge");
export const searchFile = (dataDir: string) => path.join(dataDir, "search.db");

/** How long a question may wait for the very first index, or for a check of the folder. */
const longestWaitMs = 5_000;
/** After a failed embedding, so that an unavailable provider is not called for every question. */
const failurePauseMs = 30_000;

type KnowledgeSearchOptions = {
  contentDir: string;
  dataDir: string;
  /** Embeds pages and questions; null: both are compared by their words alone. */
  embedder: Embedder | null;
  /** Of pages that name none. */
  defaultAudience: Reader;
  clock: Clock;
  recheckMs?: number;
  onReport?: (report: IndexReport) => void;
  log: WarnLog;
};

/** Deleted and moved pages are removed before a question is answered; new ones are embedded in the background. */
export function createKnowledgeSearch(options: KnowledgeSearchOptions): KnowledgeSearch {
  const database = openSearchDatabase({ file: searchFile(options.dataDir) });
  const stopping = new AbortController();
  const folder = createFolderLook(options, stopping.signal);
  const known = new Map<string, Collection>();

  async function openStore(client: Parameters<typeof database.readFor>[0]) {
    const store = createPassageStore(database.readFor(client), options.defaultAudience, known);
    await folder.waitForLook(async () => (await store.listCollections()).length === 0);
    return store;
  }

  return {
    vendor: "libsql",
    indexes: ["knowledge"],
    refresh: folder.refresh,
    listNamespaces: async (client) => listStoredNamespaces(await openStore(client)),
    async hasPublicPages(question) {
      const collections = await (await openStore(question)).listCollections();
      return collections.some(({ shelf }) => shelf === shelfOf("everyone", question.namespace));
    },
    search: async (question) => {
      const { embedder, log } = options;
      return findPassages({ ...question, store: await openStore(question), embedder, log });
    },
    async stop() {
      stopping.abort();
      await folder.whenIdle();
      await database.close();
    },
  };
}

function createFolderLook(options: KnowledgeSearchOptions, stopping: AbortSignal) {
  const { clock, recheckMs = 1_000, log } = options;
  const fill = createFill(options, stopping);
  let nextLookAtMs = Number.NEGATIVE_INFINITY;
  let nextEmbeddingAtMs = Number.NEGATIVE_INFINITY;
  /** The folder as the last look left it. */
  let seen: string | null = null;
  let hasLooked = false;
  /** `withdrawn`: deleted and moved pages are no longer found. */
  let looking: { ended: Promise<void>; withdrawn: Promise<void> } | null = null;

  async function look(onWithdrawn: () => void): Promise<void> {
    const mayEmbed = clock() >= nextEmbeddingAtMs;
    try {
      const files = await listKnowledgeFiles(knowledgeFolder(options.contentDir));
      const found = files.map(({ source, stamp }) => `${source}:${stamp}`).join("|");
      if (found !== seen) await fill({ mayEmbed, onWithdrawn });
      if (mayEmbed) seen = found;
    } catch (error) {
      nextEmbeddingAtMs = clock() + failurePauseMs;
      if (!stopping.aborted)
        log.warn({ err: error }, "knowledge indexing failed; the previous index stays in use");
    } finally {
      nextLookAtMs = clock() + recheckMs;
      hasLooked = true;
      looking = null;
      onWithdrawn();
    }
  }

  function refresh(): Promise<void> {
    if (looking) return looking.ended;
    let onWithdrawn = () => {};
    const withdrawn = new Promise<void>((resolve) => (onWithdrawn = resolve));
    const ended = look(onWithdrawn);
    looking = { ended, withdrawn };
    return ended;
  }

  async function waitForLook(isEmpty: () => Promise<boolean>): Promise<void> {
    if (clock() >= nextLookAtMs && !stopping.aborted) void refresh();
    if (!looking) return;
    const { ended, withdrawn } = looking;
    const isFirst = !hasLooked && (await isEmpty());
    const limit = new AbortController();
    const late = pause(longestWaitMs, undefined, { signal: limit.signal, ref: false });
    await Promise.race([isFirst ? ended : withdrawn, late]);
    limit.abort();
  }

  return { refresh, waitForLook, whenIdle: async () => looking?.ended };
}

/** Through a connection of its own: questions are answered meanwhile. */
function createFill(
  { contentDir, dataDir, embedder, defaultAudience, onReport, log }: KnowledgeSearchOptions,
  signal: AbortSignal,
) {
  const reported = new Set<string>();

  return async function fill(steps: { mayEmbed: boolean; onWithdrawn: () => void }): Promise<void> {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const database = openSearchDatabase({ file: searchFile(dataDir) });
    try {
      const store = createCollectionStore(database, defaultAudience);
      const folder = knowledgeFolder(contentDir);
      const report = await indexKnowledge({ folder, store, lock: database, embedder, signal, ...steps });
      for (const { source, reason } of report.broken) {
        const key = `${source}: ${reason}`;
        if (!reported.has(key)) log.warn({ source, reason }, "knowledge page omitted");
        reported.add(key);
      }
      onReport?.(report);
    } finally {
      await database.close();
    }
  };
}
