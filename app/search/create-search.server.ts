import { monotonicClock as clock } from "~/platform/time/clock";
import { instrumentCall } from "~/platform/providers/instrument";
import type { Config } from "~/settings.server";
import type { Embedder } from "~/search/embedder";
import { createKnowledgeSearch } from "~/search/knowledge-search.server";
import { warnOfMissingNamespaces } from "~/search/gated-namespaces";
import { createPineconeSearch } from "~/search/pinecone.gateway.server";
import { createProviderEmbedder } from "~/search/provider-embedder.gateway.server";
import type { SearchStore } from "~/search/search-store";
import { createSearchTool } from "~/tools/search-tool";
import type { Foundation } from "~/services/foundation.server";
import type { GateServices } from "~/gate/create-gate.server";

export type SearchServices = ReturnType<typeof wireSearch>;

type SearchFoundation = Pick<Foundation, "config" | "instruments" | "log">;

/** Begins to index what changed in the knowledge folder, and does not wait for it. */
export function wireSearch(foundation: SearchFoundation, gate: Pick<GateServices, "requireHolder">) {
  const { config, instruments, log } = foundation;
  const { pinecone, defaultAudience, gatedNamespaces, embedding } = config.search;
  const instrument = instruments.provider;
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
      : openEmbedded(foundation, embedder);
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
  void warnOfMissingNamespaces({
    store,
    whenIndexed,
    gatedNamespaces,
    signal: stopping.signal,
    log,
  });
  return {
    tool: createSearchTool({
      store,
      gatedNamespaces,
      requireHolder: (holder) => gate.requireHolder({ holder }),
    }),
    isEmbedded: pinecone === null,
    /** Rejects when the store does not say so within the time. */
    listNamespaces: async ({ timeoutMs }: { timeoutMs: number }) => {
      const signal = AbortSignal.timeout(timeoutMs);
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

/** For the server and for `npm run index` alike; null: without a model, words alone are compared. */
export function createConfiguredEmbedder({ search }: Pick<Config, "search">): Embedder | null {
  return search.embedding && createProviderEmbedder(search.embedding);
}

function openEmbedded({ config, log }: SearchFoundation, embedder: Embedder | null) {
  let isFirst = true;
  const search = createKnowledgeSearch({
    contentDir: config.serving.contentDir,
    dataDir: config.serving.dataDir,
    embedder,
    defaultAudience: config.search.defaultAudience,
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
