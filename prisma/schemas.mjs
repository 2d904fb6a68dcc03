import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const projectDir = fileURLToPath(new URL("..", import.meta.url));

const sourcePath = "prisma/schema.prisma";

/** The hand-written SQLite schema and the PostgreSQL schema derived from it; paths are relative to the project. */
export function readSchemas() {
  const source = readFileSync(`${projectDir}${sourcePath}`, "utf8");
  return {
    sqlite: { path: sourcePath, text: source },
    postgresql: { path: "prisma/.generated/postgresql.prisma", text: derivePostgresqlSchema(source) },
  };
}

/** The same, with the derived schema where Prisma's commands look for it. */
export function writeSchemas() {
  const schemas = readSchemas();
  const derivedPath = path.join(projectDir, schemas.postgresql.path);
  mkdirSync(path.dirname(derivedPath), { recursive: true });
  writeFileSync(derivedPath, schemas.postgresql.text);
  return schemas;
}

function derivePostgresqlSchema(source) {
  const derived = replaceOnce(source, 'provider = "sqlite"', 'provider = "postgresql"');
  return replaceOnce(derived, '"../app/generated/sqlite"', '"../../app/generated/postgresql"');
}

/** Fails loudly when the source was reworded, instead of quietly generating a second SQLite client. */
function replaceOnce(text, search, replacement) {
  if (text.split(search).length !== 2) {
    throw new Error(
      `${sourcePath} must contain ${search} exactly once: the PostgreSQL schema is derived from it.`,
    );
  }
  return text.replace(search, replacement);
}
