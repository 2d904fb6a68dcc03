import path from "node:path";
import { setImmediate as takeTurn, setTimeout as pause } from "node:timers/promises";
import type { Clock } from "~/platform/clock";
import type { WarnLog } from "~/platform/log.server";
import type { Reader } from "./audience";
import type { Embedder } from "./embedder";
import { createFairQueue } from "./fair-queue.server";
import { findPassages } from "./find-passages.server";
import { adoptVectors, embedAndSave, readFolder, runAlone } from "./index-knowledge.server";
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
  const tellBroken = createBrokenLog(log);
  let nextLookAtMs = Number.NEGATIVE_INFINITY;
  let nextEmbeddingAtMs = Number.NEGATIVE_INFINITY;
  /** The folder as the last look left it, and as it was last saved. */
  let [seen, saved] = ["", "never"];
  let sources: readonly string[] = [];
  let broken: IndexReport["broken"] = [];
  let hasLooked = false;
  /** `withdrawn`: deleted and moved pages are no longer found. */
  let looking: { ended: Promise<void>; withdrawn: Promise<void> } | null = null;
  let saving: Promise<void> | null = null;

  function warn(err: unknown): void {
    if (!stopping.aborted) log.warn({ err }, "knowledge indexing failed; the previous index stays in use");
  }

  async function look(onWithdrawn: () => void): Promise<void> {
    try {
      const found = (await listKnowledgeFiles(folder))
        .map(({ source, stamp }) => `${source}:${stamp}`)
        .join("|");
      if (found !== seen || !hasLooked) {
        const stored = hasLooked ? null : await files.load();
        ({ sources, broken } = await readFolder({ folder, index, signal: stopping, onWithdrawn }, stored));
        seen = found;
        hasLooked = true;
        tellBroken(broken);
      }
      // Another process embedded them.
      if (embedder && !saving && (await files.isChanged())) {
        adoptVectors(index, await files.load(), embedder.model);
      }
    } catch (error) {
      warn(error);
    } finally {
      nextLookAtMs = clock() + recheckMs;
      looking = null;
      onWithdrawn();
    }
  }

  /** In the background: looks go on meanwhile, and what they change is saved in another turn. */
  async function save(): Promise<void> {
    const run = { folder, index, files, embedder, signal: stopping };
    try {
      while (saved !== seen && clock() >= nextEmbeddingAtMs) {
        const state = seen;
        const counts = await runAlone(run, () => embedAndSave(run, sources));
        saved = state;
        onReport?.({ ...counts, readers: index.countReaders(), broken });
      }
    } catch (error) {
      nextEmbeddingAtMs = clock() + failurePauseMs;
      warn(error);
    }
  }

  async function refresh(): Promise<void> {
    if (!looking) {
      let onWithdrawn = () => {};
      const withdrawn = new Promise<void>((resolve) => (onWithdrawn = resolve));
      const ended = look(onWithdrawn).then(
        () =>
          (saving ??= save().finally(() => {
            saving = null;
          })),
      );
      looking = { ended, withdrawn };
    }
    await looking.ended;
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

  return { refresh, waitForLook, whenIdle: () => Promise.all([looking?.ended, saving]) };
}

/** Names each page and reason once. */
function createBrokenLog(log: WarnLog) {
  const reported = new Set<string>();
  return (broken: IndexReport["broken"]): void => {
    for (const { source, reason } of broken) {
      const key = `${source}: ${reason}`;
      if (!reported.has(key)) log.warn({ source, reason }, "knowledge page omitted");
      reported.add(key);
    }
  };
}
