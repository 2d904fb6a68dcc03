import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const config = ts.readConfigFile("tsconfig.json", ts.sys.readFile).config as object;
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
const cache = ts.createModuleResolutionCache(path.resolve("."), (name) => name, options);

const isOurs = (file: string) => !/node_modules|\/generated\/|\.test\./.test(file);

/** Our own files that a file imports, types included, which the lint rule against cycles ignores. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(ts.sys.readFile(file) ?? "");
  return importedFiles.flatMap(({ fileName }) => {
    const { resolvedModule } = ts.resolveModuleName(fileName, file, options, ts.sys, cache);
    const found = resolvedModule?.resolvedFileName;
    return found && isOurs(found) ? [found] : [];
  });
}

/** Cycles found by a depth-first search. Each file is visited once. */
function findCycles(files: readonly string[], imports: (file: string) => readonly string[]): string[][] {
  const finished = new Set<string>();
  const cycles: string[][] = [];
  function goDown(file: string, above: readonly string[]): void {
    if (above.includes(file)) return void cycles.push([...above.slice(above.indexOf(file)), file]);
    if (finished.has(file)) return;
    for (const next of imports(file)) goDown(next, [...above, file]);
    finished.add(file);
  }
  for (const file of files) goDown(file, []);
  return cycles;
}

test("imports of the product run one way, those of types included", () => {
  const ours = ts.sys.readDirectory(path.resolve("app"), [".ts", ".tsx"]).filter(isOurs);
  expect(ours.length).toBeGreaterThan(400);
  const cycles = findCycles(ours, importsOf).map((cycle) => cycle.map((file) => path.relative(".", file)));
  expect(cycles).toEqual([]);
});

test.each(["app/platform", "app/gate"])("the folders of %s import each other one way", (parent) => {
  const roomOf = (file: string) => path.relative(path.resolve(parent), file).split(path.sep)[0]!;
  const inside = (file: string) => file.startsWith(`${path.resolve(parent)}${path.sep}`);
  const arrows = new Map<string, Set<string>>();
  for (const file of ts.sys.readDirectory(path.resolve(parent), [".ts", ".tsx"]).filter(isOurs)) {
    const reached = arrows.get(roomOf(file)) ?? new Set<string>();
    for (const imported of importsOf(file)) if (inside(imported)) reached.add(roomOf(imported));
    reached.delete(roomOf(file));
    arrows.set(roomOf(file), reached);
  }
  expect(arrows.size).toBeGreaterThan(5);
  expect(findCycles([...arrows.keys()], (room) => [...(arrows.get(room) ?? [])])).toEqual([]);
});

test("a cycle is found through any number of files", () => {
  const graph: Record<string, string[]> = { a: ["b"], b: ["c", "d"], c: ["a"], d: [] };
  expect(findCycles(Object.keys(graph), (file) => graph[file]!)).toEqual([["a", "b", "c", "a"]]);
});
