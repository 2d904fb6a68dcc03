import { closest, distance } from "fastest-levenshtein";
import type { SearchStore } from "./search-store";

/** Spellings that look alike in a list count as one name: gating too much is the smaller harm. */
function fold(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}

export function isGatedNamespace(name: string, gatedNamespaces: readonly string[]): boolean {
  const folded = fold(name);
  return gatedNamespaces.some((gated) => fold(gated) === folded);
}

type WarnOptions = {
  store: Pick<SearchStore, "indexes" | "listNamespaces">;
  /** Before it, documents that are new since the last start are not known. */
  whenIndexed: Promise<void>;
  gatedNamespaces: readonly string[];
  /** Fires when the service stops: the store is closed then. */
  signal: AbortSignal;
  log: { warn: (fields: { problem?: string; err?: unknown }, message: string) => void };
};

/** A gated name that no document has protects nothing, so the operator is told. Asks once, and never rejects. */
export async function warnOfMissingNamespaces(options: WarnOptions): Promise<void> {
  const { store, whenIndexed, gatedNamespaces, signal, log } = options;
  if (gatedNamespaces.length === 0) return;
  try {
    await whenIndexed;
    if (signal.aborted) return;
    const lists = await Promise.all(store.indexes.map((index) => store.listNamespaces(index)));
    for (const problem of describeMissingNamespaces(gatedNamespaces, lists.flat()))
      log.warn({ problem }, "setting is questionable");
  } catch (error) {
    if (signal.aborted) return;
    log.warn({ err: error }, "SEARCH_GATED_NAMESPACES could not be checked against the documents");
  }
}

/** Every gated name that no document has, with the one that may have been meant. */
export function describeMissingNamespaces(
  gatedNamespaces: readonly string[],
  existing: readonly string[],
): string[] {
  const open = existing.filter((name) => !isGatedNamespace(name, gatedNamespaces));
  return gatedNamespaces
    .filter((gated) => !isGatedNamespace(gated, existing))
    .map((gated) => {
      const nearest = open.length > 0 ? closest(gated, open) : null;
      const reach = Math.max(2, Math.floor(gated.length / 3));
      const hint =
        nearest !== null && distance(gated, nearest) <= reach
          ? `Did you mean ${JSON.stringify(nearest)}?`
          : "Documents in other namespaces go by their audience alone.";
      return `SEARCH_GATED_NAMESPACES names ${JSON.stringify(gated)}, but no document has that namespace. ${hint}`;
    });
}
