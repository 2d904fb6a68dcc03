import { watchCall } from "~/platform/providers/provider-watch";
import type { ProviderWatch } from "~/platform/providers/provider-watch";
import type { Embedder } from "./embedder";
import type { SearchStore } from "./search-store";

/** The same embedder; what it is asked is told of. */
export function watchEmbedder({
  embedder,
  provider,
  watch,
}: {
  embedder: Embedder;
  provider: string;
  watch: ProviderWatch;
}): Embedder {
  const call = { kind: "embeddings", provider, model: embedder.model };
  return {
    ...embedder,
    embed: (asked) => watchCall({ watch, call, signal: asked.signal, work: () => embedder.embed(asked) }),
  };
}

/** The same store; every question to it is told of. */
export function watchSearchStore({
  store,
  watch,
}: {
  store: SearchStore;
  watch: ProviderWatch;
}): SearchStore {
  const call = { kind: "search", provider: store.vendor };
  return {
    ...store,
    search: (question) =>
      watchCall({ watch, call, signal: question.signal, work: () => store.search(question) }),
  };
}
