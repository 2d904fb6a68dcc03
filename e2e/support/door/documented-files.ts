import { readFile } from "node:fs/promises";

export type DocumentedFiles = ReadonlyMap<string, string>;

/** The files that docs/door.md shows, by the name in their first line. */
export async function readDocumentedFiles(): Promise<DocumentedFiles> {
  const text = await readFile("docs/door.md", "utf8");
  const blocks = text.matchAll(/^```(?:caddy|nginx|yaml)\n# (.+)\n([^]*?)^```$/gm);
  return new Map([...blocks].map(([, name = "", content = ""]) => [name, content]));
}

export function requireFile(files: DocumentedFiles, name: string): string {
  const content = files.get(name);
  if (content === undefined) throw new Error(`docs/door.md shows no ${name} any more.`);
  return content;
}

/** All of them must be there: a page that changed is no reason to test something else. */
export function replaceEach(
  text: string,
  replacements: readonly (readonly [search: string, replacement: string])[],
): string {
  return replacements.reduce((changed, [search, replacement]) => {
    if (!changed.includes(search)) throw new Error(`docs/door.md has no ${search} any more.`);
    return changed.replaceAll(search, replacement);
  }, text);
}
