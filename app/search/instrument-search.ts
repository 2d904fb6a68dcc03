import { instrumentCall } from "~/platform/providers/instrument";
import type { ProviderInstrument } from "~/platform/providers/instrument";
import type { Embedder } from "./embedder";
import type { SearchStore } from "./search-store";

export function instrumentEmbedder(
  embedder: Embedder,
  provider: string,
  instrument: ProviderInstrument,
): Embedder {
  const call = { kind: "embeddings", provider, model: embedder.model };
  return {
    ...embedder,
    embed: (asked) =>
      instrumentCall({ instrument, call, signal: asked.signal, work: () => embedder.embed(asked) }),
  };
}

export function instrumentSearchStore(store: SearchStore, instrument: ProviderInstrument): SearchStore {
  const call = { kind: "search", provider: store.vendor };
  return {
    ...store,
    search: (question) =>
      instrumentCall({ instrument, call, signal: question.signal, work: () => store.search(question) }),
  };
}
