import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import sanitizeHtml from "sanitize-html";
import { decodeReferences } from "~/platform/text/character-references";
import { PageFault, parseKnowledgePage } from "./knowledge-page";
import type { KnowledgePage } from "./knowledge-page";

/** `stamp` changes when the file does. */
export type KnowledgeFile = { source: string; stamp: string; bytes: number };

/** Larger files are omitted. */
const maxPageBytes = 1024 * 1024;
const pageName = /\.(?:md|markdown|txt|html?)$/i;

/** Every page in the folder and its subfolders, by name. Skips names that begin with a dot. */
export async function listKnowledgeFiles(folder: string): Promise<KnowledgeFile[]> {
  const files: KnowledgeFile[] = [];
  const folders = [""];
  for (const within of folders) {
    const entries = await nullIfMissing(readdir(path.join(folder, within), { withFileTypes: true }));
    for (const entry of entries?.filter(({ name }) => !name.startsWith(".")) ?? []) {
      const source = path.posix.join(within, entry.name);
      if (entry.isDirectory()) folders.push(source);
      if (entry.isDirectory() || !pageName.test(source)) continue;
      // Removed since, or a dangling link.
      const file = await nullIfMissing(stat(path.join(folder, source)));
      if (!file?.isFile()) continue;
      files.push({ source, stamp: `${file.mtimeMs}-${file.size}-${file.ino}`, bytes: file.size });
    }
  }
  return files.sort((one, other) => (one.source < other.source ? -1 : 1));
}

async function nullIfMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Throws a PageFault for an unusable file. */
export async function readKnowledgeFile(
  folder: string,
  { source, bytes: size }: KnowledgeFile,
): Promise<KnowledgePage> {
  if (size > maxPageBytes) throw new PageFault(`it is larger than ${maxPageBytes / 1024} KiB`);
  const bytes = await readFile(path.join(folder, source)).catch((cause: NodeJS.ErrnoException) => {
    throw new PageFault(`it cannot be read (${cause.code ?? "error"})`, { cause });
  });
  if (!isUtf8(bytes)) throw new PageFault("it is not UTF-8");
  const text = bytes.toString();
  if (text.includes("\0")) throw new PageFault("it is not text");
  const page = parseKnowledgePage(source, text, /\.html?$/i.test(source) ? toMarkdown : undefined);
  if (page.passages.length === 0) throw new PageFault("it has no text");
  return page;
}

const keptTags =
  "p div section article blockquote table ul ol dl pre figure li tr br dt dd hr h1 h2 h3 h4 h5 h6".split(" ");

/** The words and headings of an HTML page. */
export function toMarkdown(html: string): { body: string; title: string } {
  const clean = sanitizeHtml(html, {
    allowedTags: keptTags,
    allowedAttributes: {},
    nonTextTags: ["script", "style", "textarea", "option", "noscript", "template", "title", "svg", "nav"],
  });
  const body = clean
    .replace(/\s+/g, " ")
    .replace(/<h([1-6])>/g, (_tag, level: string) => `\n\n${"#".repeat(Number(level))} `)
    .replace(/<li>/g, "\n- ")
    .replace(/<(?:br|hr|tr|dt|dd)[^>]*>/g, "\n")
    .replace(/<\/?[a-z][^>]*>/g, "\n\n")
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
  const title = decode(/<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1] ?? "");
  return { body: decode(body).trim(), title: title.replace(/\s+/g, " ").trim() };
}

function decode(text: string): string {
  return decodeReferences(text, (unknown) => unknown);
}
