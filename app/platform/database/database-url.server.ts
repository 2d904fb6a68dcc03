import path from "node:path";
import { fileURLToPath } from "node:url";

type DatabaseLocation = { provider: "sqlite"; path: string } | { provider: "postgresql"; url: string };

/** Reads `file:` (relative to the working directory, or absolute) and `postgresql:` addresses. */
export function readDatabaseUrl(url: string): DatabaseLocation {
  if (/^postgres(ql)?:\/\//.test(url)) return { provider: "postgresql", url };
  if (!url.startsWith("file:")) {
    throw new Error("The database address must start with file: (SQLite) or postgresql: (PostgreSQL).");
  }
  return { provider: "sqlite", path: readSqlitePath(url) };
}

function readSqlitePath(url: string): string {
  if (/[?#]/.test(url)) throw new Error("A file: database address takes no ? or # part.");
  if (url.startsWith("file:///")) return fileURLToPath(url);
  const relativePath = decodeURIComponent(url.slice("file:".length));
  if (relativePath === "" || relativePath.startsWith(":") || relativePath.startsWith("//")) {
    throw new Error("A file: database address must name a file, such as file:data/latchkey.db.");
  }
  return path.resolve(relativePath);
}
