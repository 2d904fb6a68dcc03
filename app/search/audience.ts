export const audiences = ["everyone", "holders", "operators"] as const;

/** Who may read a page. */
export type Audience = (typeof audiences)[number];

/** Who gets an answer: a holder, or everyone else. Pages for operators are in no answer. */
export type Reader = Exclude<Audience, "operators">;

const readersOf: Record<Audience, readonly Reader[]> = {
  everyone: ["everyone", "holders"],
  holders: ["holders"],
  operators: [],
};

/** What one reader may find in one namespace. Pages that the reader may not see have no influence on it. */
export function shelfOf(reader: Reader, namespace: string): string {
  return `${reader}:${namespace}`;
}

export function shelvesOf(audience: Audience, namespace: string): string[] {
  return readersOf[audience].map((reader) => shelfOf(reader, namespace));
}

export function namespaceOf(shelf: string): string {
  return shelf.slice(shelf.indexOf(":") + 1);
}

export function isAudience(text: string): text is Audience {
  return (audiences as readonly string[]).includes(text);
}
