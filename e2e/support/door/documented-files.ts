import { readdir, readFile } from "node:fs/promises";

export type DocumentedFiles = ReadonlyMap<string, string>;

/** The files in docs/door.md and docs/door, by the name in their first line. */
export async function readDocumentedFiles(): Promise<DocumentedFiles> {
  const text = await readFile("docs/door.md", "utf8");
  const shown = [...text.matchAll(/^```(?:caddy|nginx|yaml)\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  const names = await readdir("docs/door");
  const unnamed = names.find((name) => !text.includes(`(door/${name})`));
  if (unnamed !== undefined) throw new Error(`docs/door.md does not lead to ${unnamed}.`);
  const linked = await Promise.all(names.map((name) => readFile(`docs/door/${name}`, "utf8")));
  return new Map(
    [...shown, ...linked].map((file) => {
      const [, name = "", content = ""] = /^# (.+)\n([^]*)$/.exec(file) ?? [];
      return [name, content];
    }),
  );
}

export function requireFile(files: DocumentedFiles, name: string): string {
  const content = files.get(name);
  if (content === undefined) throw new Error(`docs/door.md shows no ${name} any more.`);
  return content;
}

/** All must be found. Otherwise a changed page would go untested. */
export function replaceEach(
  text: string,
  replacements: readonly (readonly [search: string, replacement: string])[],
): string {
  return replacements.reduce((changed, [search, replacement]) => {
    if (!changed.includes(search)) throw new Error(`docs/door.md has no ${search} any more.`);
    return changed.replaceAll(search, replacement);
  }, text);
}
