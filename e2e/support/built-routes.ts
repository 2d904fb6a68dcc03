import { readFileSync } from "node:fs";
import ts from "typescript";

export type BuiltRoute = {
  /** The route's file, as the compiler names it: `routes/api.nonce`. */
  id: string;
  /** `/api/token-status/:tokenId`, as in log lines. */
  pattern: string;
  /** A route without a page: a module with a loader or an action and no default export. */
  isResource: boolean;
};

type RouteEntry = { id: string; parentId: string | null; path: string; moduleName: string };

/**
 * The routes of the built server, read from its text, because importing the build would start a server. Fails if the
 * compiler writes its table differently, so that no route can be missed by mistake.
 */
export function readBuiltRoutes({ file = "build/index.js" }: { file?: string } = {}): BuiltRoute[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const entries = new Map<string, RouteEntry>();
  const exportedNames = new Map<string, Set<string>>();
  for (const statement of source.statements) {
    for (const entry of readRouteTable({ statement, source })) entries.set(entry.id, entry);
    const exported = readExports({ statement, source });
    if (exported) exportedNames.set(exported.moduleName, exported.names);
  }
  if (entries.size === 0) throw new Error(`No table of routes was found in ${file}.`);
  return [...entries.values()].map((entry) => {
    const names = exportedNames.get(entry.moduleName);
    if (!names) throw new Error(`What ${entry.id} exports was not found in ${file}.`);
    const isResource = !names.has("default") && (names.has("loader") || names.has("action"));
    return { id: entry.id, pattern: `/${pathOf(entries, entry)}`, isResource };
  });
}

function pathOf(entries: Map<string, RouteEntry>, entry: RouteEntry): string {
  const parent = entry.parentId === null ? undefined : entries.get(entry.parentId);
  return [parent ? pathOf(entries, parent) : "", entry.path].filter(Boolean).join("/");
}

type Part = { statement: ts.Statement; source: ts.SourceFile };

/** `var …, routes = { "routes/api.nonce": { id, parentId, path, …, module: api_nonce_exports }, … }` */
function readRouteTable({ statement, source }: Part): RouteEntry[] {
  if (!ts.isVariableStatement(statement)) return [];
  const table = statement.declarationList.declarations.find(({ name }) => name.getText(source) === "routes");
  if (!table?.initializer || !ts.isObjectLiteralExpression(table.initializer)) return [];
  return table.initializer.properties.flatMap((property) => {
    if (!ts.isPropertyAssignment(property) || !ts.isObjectLiteralExpression(property.initializer)) return [];
    const fields = new Map(
      property.initializer.properties
        .filter(ts.isPropertyAssignment)
        .map(({ name, initializer }) => [name.getText(source), initializer]),
    );
    const textOf = (name: string) => {
      const value = fields.get(name);
      return value && ts.isStringLiteral(value) ? value.text : null;
    };
    const id = textOf("id");
    const routeModule = fields.get("module");
    if (id === null || !routeModule) throw new Error("A route of the build has no id or no module.");
    const moduleName = routeModule.getText(source);
    return [{ id, parentId: textOf("parentId"), path: textOf("path") ?? "", moduleName }];
  });
}

/** `__export(api_nonce_exports, { action: () => action, loader: () => loader })` */
function readExports({ statement, source }: Part): { moduleName: string; names: Set<string> } | null {
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) return null;
  const { expression, arguments: given } = statement.expression;
  const [target, members] = given;
  if (expression.getText(source) !== "__export" || !target || !members) return null;
  if (!ts.isObjectLiteralExpression(members)) return null;
  const names = members.properties.flatMap(({ name }) => name?.getText(source) ?? []);
  return { moduleName: target.getText(source), names: new Set(names) };
}
