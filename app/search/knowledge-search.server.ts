import path from "node:path";
import { setImmediate as takeTurn, setTimeout as pause } from "node:timers/promises";
import type { Clock } from "~/platform/clock";
import type { WarnLog } from "~/platform/log.server";
import type { Reader } from "./audience";
import type { Embedder } from "./embedder";
import { createFairQueue } from "./fair-queue.server";
import { findPassages } from "./find-passages.server";
import { adoptVectors, indexKnowledge } from "./index-knowledge.server";
import type { IndexReport } from "./index-knowledge.server";
import { listKnowledgeFiles } from "./knowledge-files.server";
import { createSearchFiles } from "./search-files.store.server";
import { createSearchIndex } from "./search-index.server";
import type { SearchIndex } from "./search-index.server";
import type { SearchStore } from "./search-store";

export type KnowledgeSearch = SearchStore & {
  /** Checks the folder and indexes changes; joins a check in progress. Never rejects. */
  refresh: () => Promise<void>;
};

export const knowledgeFolder = (contentDir: string) => path.join(contentDir, "knowledge");

/** How long a question may wait for the very first index, or for a check of the folder. */
const longestWaitMs = 5_000;
/** Concurrent questions, one of each client: they overlap only while a provider embeds them. */
const slots = 8;
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
  const index = createSearchIndex(options.defaultAudience);
  const stopping = new AbortController();
  const queue = createFairQueue({ slots });
  const folder = createFolderLook(options, index, stopping.signal);

  return {
    vendor: "libsql",
    indexes: ["knowledge"],
    refresh: folder.refresh,
    async listNamespaces() {
      await folder.waitForLook();
      return index.listNamespaces();
    },
    async hasPublicPages({ namespace }) {
      await folder.waitForLook();
      return index.findShelf("everyone", namespace) !== null;
    },
    async search(question) {
      await folder.waitForLook();
      const run = async (_slot: number, signal: AbortSignal) => {
        await takeTurn();
        const { embedder, log } = options;
        return findPassages({ ...question, signal, index, embedder, log });
      };
      return queue.run({ clientId: question.clientId, signal: question.signal, run });
    },
    async stop() {
      stopping.abort();
      await queue.close();
      await folder.whenIdle();
    },
  };
}

function createFolderLook(options: KnowledgeSearchOptions, index: SearchIndex, stopping: AbortSignal) {
  const { contentDir, dataDir, embedder, clock, recheckMs = 1_000, onReport, log } = options;
  const folder = knowledgeFolder(contentDir);
  const files = createSearchFiles(dataDir);
  const reported = new Set<string>();
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
      const found = (await listKnowledgeFiles(folder))
        .map(({ source, stamp }) => `${source}:${stamp}`)
        .join("|");
      if (found !== seen) {
        const signal = stopping;
        tell(await indexKnowledge({ folder, index, files, embedder, signal, mayEmbed, onWithdrawn }));
        if (mayEmbed) seen = found;
      }
      // Another process embedded them.
      if (embedder && (await files.isChanged())) adoptVectors(index, await files.load(), embedder.model);
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

  function tell(report: IndexReport): void {
    for (const { source, reason } of report.broken) {
      const key = `${source}: ${reason}`;
      if (!reported.has(key)) log.warn({ source, reason }, "knowledge page omitted");
      reported.add(key);
    }
    onReport?.(report);
  }

  function refresh(): Promise<void> {
    if (looking) return looking.ended;
    let onWithdrawn = () => {};
    const withdrawn = new Promise<void>((resolve) => (onWithdrawn = resolve));
    const ended = look(onWithdrawn);
    looking = { ended, withdrawn };
    return ended;
  }

  async function waitForLook(): Promise<void> {
    if (clock() >= nextLookAtMs && !stopping.aborted) void refresh();
    if (!looking) return;
    const { ended, withdrawn } = looking;
    const limit = new AbortController();
    const late = pause(longestWaitMs, undefined, { signal: limit.signal, ref: false });
    await Promise.race([hasLooked ? withdrawn : ended, late]);
    limit.abort();
  }

  return { refresh, waitForLook, whenIdle: async () => looking?.ended };
}
