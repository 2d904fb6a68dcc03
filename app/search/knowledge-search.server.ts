import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "~/platform/clock";
import type { Clock } from "~/platform/clock";
import { parseKnowledgePage } from "./knowledge-page";
import type { KnowledgePage } from "./knowledge-page";
import { createPassageIndex } from "./passage-index";
import type { PassageMatch } from "./passage-index";

export type SearchPassages = (question: {
  query: string;
  namespace: string;
  topK: number;
}) => Promise<PassageMatch[]>;

/** Larger files are left out: a page is read whole into memory. */
const maxPageBytes = 1024 * 1024;
const maxPages = 2_000;

type Loaded = { version: string; page: KnowledgePage };
type State = {
  version: string;
  pages: Map<string, Loaded>;
  indexes: Map<string, ReturnType<typeof createPassageIndex>>;
};

/**
 * Full-text search over `<contentDir>/knowledge/*.md`. Files are looked at again when a question comes more than
 * `recheckMs` after the last look; only those that changed are read. Without the folder nothing is found. A file
 * that cannot be read is left out and reported once for each of its states.
 */
export function createKnowledgeSearch({
  contentDir,
  clock = systemClock,
  recheckMs = 1_000,
  warn,
}: {
  contentDir: string;
  clock?: Clock;
  recheckMs?: number;
  warn: (message: string, error: unknown) => void;
}): SearchPassages {
  const folder = path.join(contentDir, "knowledge");
  let state: State = { version: "", pages: new Map(), indexes: new Map() };
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  async function refresh(): Promise<void> {
    const files = await listFiles(folder);
    const version = files.map((file) => `${file.name}:${file.version}`).join("|");
    if (version !== state.version) {
      const loaded = await Promise.all(
        files.map((file) => loadPage({ folder, file, known: state.pages, warn })),
      );
      const pages = new Map(loaded.map((entry) => [entry.page.source, entry]));
      state = { version, pages, indexes: indexByNamespace([...pages.values()].map(({ page }) => page)) };
    }
    checkedAtMs = clock();
  }

  return async function searchPassages({ query, namespace, topK }) {
    if (clock() - checkedAtMs >= recheckMs) {
      checking ??= refresh().finally(() => (checking = null));
      await checking;
    }
    return state.indexes.get(namespace)?.search({ query, topK }) ?? [];
  };
}

type FileState = { name: string; version: string };

async function listFiles(folder: string): Promise<FileState[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const pages = names.filter((name) => name.endsWith(".md") && !name.startsWith(".")).sort();
  const states = await Promise.all(pages.slice(0, maxPages).map((name) => findState({ folder, name })));
  return states.filter((state) => state !== null);
}

async function findState({ folder, name }: { folder: string; name: string }): Promise<FileState | null> {
  try {
    const file = await stat(path.join(folder, name));
    if (!file.isFile() || file.size > maxPageBytes) return null;
    return { name, version: `${file.mtimeMs}-${file.size}-${file.ino}` };
  } catch (error) {
    // Removed between the listing and now.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function loadPage({
  folder,
  file: { name, version },
  known,
  warn,
}: {
  folder: string;
  file: FileState;
  known: ReadonlyMap<string, Loaded>;
  warn: (message: string, error: unknown) => void;
}): Promise<Loaded> {
  const before = known.get(name);
  if (before?.version === version) return before;
  try {
    const text = await readFile(path.join(folder, name), "utf8");
    return { version, page: parseKnowledgePage({ source: name, text }) };
  } catch (error) {
    warn(`The knowledge page ${name} could not be read`, error);
    return { version, page: { source: name, title: name, namespace: "", passages: [] } };
  }
}

function indexByNamespace(pages: readonly KnowledgePage[]): State["indexes"] {
  const byNamespace = new Map<string, KnowledgePage[]>();
  for (const page of pages)
    byNamespace.set(page.namespace, [...(byNamespace.get(page.namespace) ?? []), page]);
  return new Map([...byNamespace].map(([namespace, its]) => [namespace, createPassageIndex({ pages: its })]));
}
