/** Similar spellings count as one name: gating too much is the smaller harm. */
function fold(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}

export function isGatedNamespace(name: string, gatedNamespaces: readonly string[]): boolean {
  const folded = fold(name);
  return gatedNamespaces.some((gated) => fold(gated) === folded);
}

type WarnOptions = {
  store: {
    indexes: readonly string[];
    listNamespaces: (index: string) => Promise<readonly string[]>;
  };
  whenIndexed: Promise<void>;
  gatedNamespaces: readonly string[];
  log: { warn: (fields: { problem?: string; err?: unknown }, message: string) => void };
};

/** A gated name without documents protects nothing. Never rejects. */
export async function warnOfMissingNamespaces(options: WarnOptions): Promise<void> {
  const { store, whenIndexed, gatedNamespaces, log } = options;
  if (gatedNamespaces.length === 0) return;
  try {
    await whenIndexed;
    const existing = (await Promise.all(store.indexes.map(store.listNamespaces))).flat();
    for (const gated of gatedNamespaces.filter((name) => !isGatedNamespace(name, existing))) {
      const problem = `SEARCH_GATED_NAMESPACES names ${JSON.stringify(gated)}, but no document has that namespace. Documents have: ${existing.join(", ")}.`;
      log.warn({ problem }, "setting is questionable");
    }
  } catch (error) {
    log.warn({ err: error }, "checking SEARCH_GATED_NAMESPACES failed");
  }
}
