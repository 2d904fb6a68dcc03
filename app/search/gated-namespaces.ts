import { closest, distance } from "fastest-levenshtein";

/** Two spellings that look alike to whoever writes a list of names are one: closing too much is the smaller harm. */
function fold(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}

export function isGatedNamespace(name: string, gatedNamespaces: readonly string[]): boolean {
  const folded = fold(name);
  return gatedNamespaces.some((gated) => fold(gated) === folded);
}

/** For the operator: every gated name that no document has, with the one that may have been meant. */
export function describeMissingNamespaces(
  gatedNamespaces: readonly string[],
  existing: readonly string[],
): string[] {
  return gatedNamespaces
    .filter((gated) => !existing.some((name) => fold(name) === fold(gated)))
    .map((gated) => {
      const open = existing.filter((name) => !isGatedNamespace(name, gatedNamespaces));
      const nearest = open.length > 0 ? closest(gated, open) : null;
      const isNear =
        nearest !== null && distance(gated, nearest) <= Math.max(2, Math.floor(gated.length / 3));
      const hint = isNear
        ? `Did you mean ${JSON.stringify(nearest)}, which is public now?`
        : "Documents in other namespaces are public.";
      return `SEARCH_GATED_NAMESPACES names ${JSON.stringify(gated)}, but no document has that namespace. ${hint}`;
    });
}
