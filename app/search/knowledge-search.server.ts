import path from "node:path";
import type { Clock } from "~/platform/time/clock";
import { withDeadline } from "~/platform/time/deadline";
import type { EventLog } from "~/platform/log/log.server";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { findPassages } from "./find-passages.server";
import { embedPassages, readFolder } from "./index-knowledge.server";
import { listKnowledgeFiles } from "~/knowledge/knowledge-files.server";
import type { Reader } from "~/knowledge/knowledge-page";
import { createSearchIndex } from "./search-index.server";
import type { SearchStore } from "./search-store";

export const knowledgeFolder = (contentDir: string) => path.join(contentDir, "knowledge");

/** How long a question may wait for a check of the folder. */
const longestWaitMs = 5_000;
/** After a failed embedding. */
const failurePauseMs = 30_000;

type KnowledgeSearchOptions = {
  contentDir: string;
  dataDir: string;
  /** Null to compare by words alone. */
  embedder: Embedder | null;
  defaultAudience: Reader;
  clock: Clock;
  recheckMs?: number;
  log: EventLog;
};

/** The embedded store. Questions wait for a check of the folder. New passages are embedded in the background. */
export function createKnowledgeSearch(options: KnowledgeSearchOptions) {
  const { contentDir, dataDir, embedder, defaultAudience, clock, recheckMs = 1_000, log } = options;
  const folder = knowledgeFolder(contentDir);
  const index = createSearchIndex(defaultAudience);
  const stopping = new AbortController();
  const { signal } = stopping;
  const told = new Set<string>();
  let [nextLookAtMs, nextEmbeddingAtMs] = [-Infinity, -Infinity];
  let seen = "";
  let isReady = false;
  let looking: Promise<void> | null = null;
  let embedding: Promise<void> | null = null;

  function warn(err: unknown): void {
    if (!signal.aborted) log.warn({ err }, "knowledge indexing failed; the previous index stays in use");
  }

  async function look(): Promise<void> {
    const files = await listKnowledgeFiles(folder);
    const found = JSON.stringify(files);
    if (found === seen) return;
    const { broken, readers, ...counts } = await readFolder({ folder, files, index, signal });
    const isFirst = seen === "";
    seen = found;
    for (const { source, reason } of broken) {
      if (!told.has(`${source}: ${reason}`)) log.warn({ source, reason }, "knowledge page omitted");
      told.add(`${source}: ${reason}`);
    }
    const pages = { forStrangers: readers.everyone, forHolders: readers.holders };
    const hasChanged = isFirst || counts.indexed + counts.removed > 0;
    if (hasChanged) log.info({ ...counts, ...pages }, "knowledge indexed");
  }

  async function embed(): Promise<void> {
    const isEmbedded = [...index.passages.values()].every(({ vector }) => vector);
    if (!embedder || isEmbedded || clock() < nextEmbeddingAtMs) return;
    await embedPassages({ index, dataDir, embedder, signal });
  }

  /** Checks the folder and embeds. Joins a check in progress. Never rejects. */
  async function refresh(): Promise<void> {
    looking ??= look()
      .catch(warn)
      .finally(() => {
        nextLookAtMs = clock() + recheckMs;
        looking = null;
      });
    await looking;
    embedding ??= embed()
      .catch((error: unknown) => {
        nextEmbeddingAtMs = clock() + failurePauseMs;
        warn(error);
      })
      .finally(() => (embedding = null));
    await embedding;
    isReady = true;
  }

  /** The first questions wait until passages are embedded too. */
  async function waitForLook(): Promise<void> {
    const isDue = clock() >= nextLookAtMs && !signal.aborted;
    const refreshed = isDue || !isReady ? refresh() : null;
    const awaited = isReady ? looking : refreshed;
    if (awaited) await withDeadline(awaited, longestWaitMs).catch(() => undefined);
  }

  return {
    vendor: "libsql",
    indexes: ["knowledge"],
    refresh,
    async listNamespaces() {
      await waitForLook();
      return index.listNamespaces();
    },
    async hasPublicPages({ namespace }) {
      await waitForLook();
      return index.findShelf("everyone", namespace) !== null;
    },
    async search(question) {
      await waitForLook();
      return await findPassages({ ...question, index, embedder, log });
    },
    async stop() {
      stopping.abort();
      await Promise.all([looking, embedding]);
    },
  } satisfies SearchStore & { refresh: () => Promise<void> };
}
