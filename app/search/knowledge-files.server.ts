import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { toMarkdown } from "./html-page.server";
import { PageFault, parseKnowledgePage } from "./knowledge-page";
import type { KnowledgePage } from "./knowledge-page";

/** `stamp` changes when the file does. */
export type KnowledgeFile = { source: string; stamp: string; bytes: number };

/** Larger files are left out: a page is read whole into memory. */
export const maxPageBytes = 1024 * 1024;
const endings = [".md", ".markdown", ".txt", ".html", ".htm"];

/** Every page in the folder and the folders in it, by name. Names that begin with a dot are passed over. */
export async function listKnowledgeFiles(folder: string): Promise<KnowledgeFile[]> {
  const files: KnowledgeFile[] = [];
  const folders = [""];
  for (let at = 0; at < folders.length; at++) {
    const within = folders[at]!;
    for (const entry of await listFolder(path.join(folder, within))) {
      if (entry.name.startsWith(".")) continue;
      const source = within === "" ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) folders.push(source);
      else if (endings.includes(path.extname(entry.name).toLowerCase())) {
        const file = await findFile(folder, source);
        if (file) files.push(file);
      }
    }
  }
  return files.sort((one, other) => (one.source < other.source ? -1 : 1));
}

/** Throws a PageFault for a file that is no page, with the reason. */
export async function readKnowledgeFile(
  folder: string,
  file: KnowledgeFile,
): Promise<{ page: KnowledgePage; digest: string }> {
  const { source } = file;
  if (file.bytes > maxPageBytes) throw new PageFault(`it is larger than ${maxPageBytes / 1024} KiB`);
  const bytes = await readBytes(path.join(folder, source));
  const text = readText(bytes);
  const isHtml = /\.html?$/i.test(source);
  const { text: markdown, title } = isHtml ? toMarkdown(text) : { text, title: undefined };
  const page = parseKnowledgePage(source, markdown, title);
  if (page.passages.length === 0) throw new PageFault("it has no text");
  return { page, digest: createHash("sha256").update(bytes).digest("base64") };
}

async function listFolder(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function findFile(folder: string, source: string): Promise<KnowledgeFile | null> {
  try {
    const file = await stat(path.join(folder, source));
    if (!file.isFile()) return null;
    return { source, stamp: `${file.mtimeMs}-${file.size}-${file.ino}`, bytes: file.size };
  } catch (error) {
    // Removed between the listing and now, or a link that leads nowhere.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new PageFault(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? "error"})`, {
      cause: error,
    });
  }
}

function readText(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.includes("\0")) throw new PageFault("it is not text");
    return text;
  } catch (error) {
    if (error instanceof PageFault) throw error;
    throw new PageFault("it is not UTF-8", { cause: error });
  }
}
