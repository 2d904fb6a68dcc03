import type { Log } from "~/platform/log/log.server";
import { instrumentCall } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import { createProviderEmbedder } from "~/platform/providers/provider-embedder.gateway.server";
import type { Embedder } from "~/platform/providers/provider-embedder.gateway.server";
import { monotonicClock as clock } from "~/platform/time/clock";
import { withDeadline } from "~/platform/time/deadline";
import { warnOfMissingNamespaces } from "~/knowledge/gated-namespaces";
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

/** Begins to index the knowledge folder, and doesn't wait for it. */
export function createSearch({ settings, contentDir, dataDir, instrument, log }: SearchDependencies) {
  const { pinecone, defaultAudience, gatedNamespaces, embedding } = settings;
  const made = embedding && createProviderEmbedder(embedding);
  const embedder: Embedder | null = made && {
    ...made,
    embed(asked) {
      const call = { kind: "embeddings" as const, provider: embedding.provider, model: made.model };
      return instrumentCall({ instrument, call, signal: asked.signal, work: () => made.embed(asked) });
    },
  };
  const knowledge =
    pinecone && embedder
      ? null
      : createKnowledgeSearch({ contentDir, dataDir, embedder, defaultAudience, clock, log });
  const opened = knowledge ?? createPineconeSearch({ ...pinecone!, embedder: embedder!, defaultAudience });
  const whenIndexed = knowledge ? knowledge.refresh() : Promise.resolve();
  const store: SearchStore = {
    ...opened,
    search(question) {
      const call = { kind: "search" as const, provider: opened.vendor };
      const work = () => opened.search(question);
      return instrumentCall({ instrument, call, signal: question.signal, work });
    },
  };
  void warnOfMissingNamespaces({ store, whenIndexed, gatedNamespaces, log });
  return {
    store,
    gatedNamespaces,
    isEmbedded: pinecone === null,
    listNamespaces: () => withDeadline(store.listNamespaces(store.indexes[0]), listingTimeoutMs),
    stop: store.stop,
  };
}
