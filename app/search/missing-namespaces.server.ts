import { describeMissingNamespaces } from "./gated-namespaces";
import type { SearchStore } from "./search-store";

const clientId = "start-up";

type WarnOfMissingNamespacesOptions = {
  store: Pick<SearchStore, "indexes" | "listNamespaces">;
  /** Before it, documents that are new since the last start are not known. */
  whenIndexed: Promise<void>;
  gatedNamespaces: readonly string[];
  /** Fires when the service stops: the store is closed then. */
  signal: AbortSignal;
  warn: (message: string, error?: unknown) => void;
};

/** A gated name that no document has protects nothing, so the operator is told. Asks once, and never rejects. */
export async function warnOfMissingNamespaces({
  store,
  whenIndexed,
  gatedNamespaces,
  signal,
  warn,
}: WarnOfMissingNamespacesOptions): Promise<void> {
  if (gatedNamespaces.length === 0) return;
  try {
    await whenIndexed;
    if (signal.aborted) return;
    const lists = await Promise.all(
      store.indexes.map((index) => store.listNamespaces({ index, clientId, signal })),
    );
    for (const warning of describeMissingNamespaces(gatedNamespaces, lists.flat())) {
      warn(warning);
    }
  } catch (error) {
    if (!signal.aborted) {
      warn("SEARCH_GATED_NAMESPACES could not be compared with the documents there are", error);
    }
  }
}
