import { readFileSync } from "node:fs";

/** The complete files in docs/keys.md. */
export function readKeysExamples(): { name: string; text: string }[] {
  const page = readFileSync("docs/keys.md", "utf8");
  const examples = [...page.matchAll(/^\*\*(.+?)\.\*\*[^`]*?```json\n([^]*?)^```$/gm)];
  if (examples.length !== page.match(/```json/g)?.length) throw new Error("docs/keys.md shows other files.");
  return examples.map(([, name = "", text = ""]) => ({ name, text }));
}

/** The address lists that such a file names. */
export function listAddressFiles(text: string): string[] {
  return [...text.matchAll(/"addressesFile": "([^"]+)"/g)].map(([, file = ""]) => file);
}
