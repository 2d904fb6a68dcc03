import type { Log } from "~/platform/log/log.server";
import { instrumentCall } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import { createProviderEmbedder } from "~/platform/providers/provider-embedder.gateway.server";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { monotonicClock as clock } from "~/platform/time/clock";
import { warnOfMissingNamespaces } from "./gated-namespaces";
import { createKnowledgeSearch } from "./knowledge-search.server";
import { createPineconeSearch } from "./pinecone.gateway.server";
import type { SearchStore } from "./search-store";
import type { readSearch } from "./search.settings";

const listingTimeoutMs = 2_000;

type SearchDependencies = {
  settings: ReturnType<typeof readSearch>;
  contentDir: string;
  dataDir: string;
  instrument: ProviderInstrument;
  log: Log;
};

/** Begins to index what changed in the knowledge folder, and does not wait for it. */
export function createSearch(dependencies: SearchDependencies) {
  const { settings, instrument, log } = dependencies;
  const { pinecone, defaultAudience, gatedNamespaces, embedding } = settings;
  const made = embedding && createProviderEmbedder(embedding);
  const embedder: Embedder | null = made && {
    ...made,
    embed(asked) {
      const call = { kind: "embeddings" as const, provider: embedding.provider, model: made.model };
      return instrumentCall({ instrument, call, signal: asked.signal, work: () => made.embed(asked) });
    },
  };
  const { store: opened, whenIndexed } =
    pinecone && embedder
      ? {
          store: createPineconeSearch({ ...pinecone, embedder, defaultAudience }),
          whenIndexed: Promise.resolve(),
        }
      : openEmbedded(dependencies, embedder);
  const store: SearchStore = {
    ...opened,
    search(question) {
      const call = { kind: "search" as const, provider: opened.vendor };
      return instrumentCall({
        instrument,
        call,
        signal: question.signal,
        work: () => opened.search(question),
      });
    },
  };
  const stopping = new AbortController();
  void warnOfMissingNamespaces({ store, whenIndexed, gatedNamespaces, signal: stopping.signal, log });
  return {
    /** The search tool asks this. */
    store,
    gatedNamespaces,
    isEmbedded: pinecone === null,
    /** Rejects when the store does not say so in time. */
    listNamespaces: async () => {
      const signal = AbortSignal.timeout(listingTimeoutMs);
      const late = new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("The search index did not answer in time.")));
      });
      return await Promise.race([store.listNamespaces(store.indexes[0]), late]);
    },
    stop: () => {
      stopping.abort();
      return store.stop();
    },
  };
}

function openEmbedded(dependencies: SearchDependencies, embedder: Embedder | null) {
  const { settings, contentDir, dataDir, log } = dependencies;
  let isFirst = true;
  const search = createKnowledgeSearch({
    contentDir,
    dataDir,
    embedder,
    defaultAudience: settings.defaultAudience,
    clock,
    onReport: ({ indexed, removed, passages, readers }) => {
      const pages = { forStrangers: readers.everyone, forHolders: readers.holders };
      if (isFirst || indexed + removed > 0)
        log.info({ indexed, removed, passages, ...pages }, "knowledge indexed");
      isFirst = false;
    },
    log,
  });
  return { store: search, whenIndexed: search.refresh() };
}
