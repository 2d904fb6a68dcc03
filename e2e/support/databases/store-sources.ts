import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const appDir = fileURLToPath(new URL("../../../app", import.meta.url));

/** All sources of the application except Prisma's generated ones. */
export function findSources(): string[] {
  return readdirSync(appDir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("generated"))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

export type StoreMaker = { name: string; file: string; writes: boolean };

const writing =
  /\$executeRaw|\b(INSERT|UPDATE|DELETE)\b|\.(create|update|delete|upsert)(Many)?\(|\bdeleteSome\(/;

/**
 * All functions that take the shared database as an argument, which is how stores are made. The search has its own
 * SQLite file, and Redis has tests beside it.
 */
export function findStoreMakers(files = findSources()): StoreMaker[] {
  return files
    .filter(
      (file) => file.endsWith(".store.server.ts") && !file.startsWith(path.join(appDir, "search") + path.sep),
    )
    .flatMap((file) => {
      const source = parse(file);
      const writes = writing.test(source.text);
      return source.statements
        .filter((statement) => ts.isFunctionDeclaration(statement) && isExported(statement))
        .filter((maker) => takes(maker, "database") && !takes(maker, "redis"))
        .map((maker) => ({ name: (maker as ts.FunctionDeclaration).name!.text, file, writes }));
    });
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

function isExported(statement: ts.FunctionDeclaration): boolean {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function takes(maker: ts.Statement, name: string): boolean {
  const { parameters } = maker as ts.FunctionDeclaration;
  return parameters.some((parameter) => namesIn(parameter).has(name));
}

const eachTest = new Set(["testOnEachDatabase", "testOnEachState"]);

/**
 * All names in a file's tests that run on each database, and in the functions and constants of the file that these
 * tests use. The file's other tests don't count.
 */
export function namesInDualTests(file: string): Set<string> {
  const source = parse(file);
  const declared = new Map<string, ts.Node>();
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement)) declared.set(statement.name!.text, statement);
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer) declared.set(name.text, initializer);
    }
  }
  const found = new Set<string>();
  const waiting = [...findDualTests(source)];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const name of namesIn(node)) {
      if (found.has(name)) continue;
      found.add(name);
      const declaration = declared.get(name);
      if (declaration) waiting.push(declaration);
    }
  }
  return found;
}

function* findDualTests(node: ts.Node): Generator<ts.Node> {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && eachTest.has(node.expression.text)) {
    yield node;
    return;
  }
  for (const child of childrenOf(node)) yield* findDualTests(child);
}

function namesIn(node: ts.Node): Set<string> {
  const names = new Set<string>();
  function look(at: ts.Node): void {
    if (ts.isIdentifier(at)) names.add(at.text);
    ts.forEachChild(at, look);
  }
  look(node);
  return names;
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}
